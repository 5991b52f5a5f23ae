import { describeHookDenial, type HookDenial } from './hook-denial.js';
import type { HookPolicy } from './hook-policy.js';
import { judgeCall, type AskedCall } from './judge-call.js';

/** What our hook writes to stdout, and what it reports to the action. Both are one line of JSON. */
export interface HookAnswer {
  answer: string;
  report: string;
}

const MOST_TOOL_NAME = 64;

/**
 * Answers one question of the CLI: may this tool run? What cannot be read is denied. Only documented fields are in the
 * answer, because the CLI blocks the call if there is another.
 */
export function answerHook(question: string, policy: HookPolicy | undefined): HookAnswer {
  const call = readQuestion(question);
  const denial = decide(call, policy);
  const tool = (call?.tool ?? '').slice(0, MOST_TOOL_NAME);
  if (denial === undefined)
    return {
      answer: JSON.stringify({ permission: 'allow' }),
      report: JSON.stringify({ tool, permission: 'allow' }),
    };
  const sentence = describeHookDenial(denial);
  return {
    answer: JSON.stringify({
      permission: 'deny',
      user_message: sentence,
      agent_message: `${sentence}. This is the policy of the run. Do not try to reach the same in another way: go on without it, and say in your answer what you could not do.`,
    }),
    report: JSON.stringify({ tool, permission: 'deny', why: sentence.slice(0, 500) }),
  };
}

function decide(call: AskedCall | undefined, policy: HookPolicy | undefined): HookDenial | undefined {
  if (policy === undefined) return { by: 'action', why: 'the policy of the run could not be read' };
  if (call === undefined) return { by: 'action', why: 'the question of the CLI could not be read' };
  try {
    return judgeCall(call, policy);
  } catch {
    return { by: 'action', why: 'the call could not be judged' };
  }
}

function readQuestion(question: string): AskedCall | undefined {
  const asked = asRecord(parse(question));
  if (asked === undefined) return undefined;
  const { tool_name: tool, tool_input: given, cwd } = asked;
  // Some builds send the input of MCP tools as text.
  const input = asRecord(typeof given === 'string' ? parse(given) : given) ?? {};
  // A command runs where its call says. Paths of other tools start where the CLI says, whatever the model adds.
  const isCommand = input['command'] !== undefined;
  const directory =
    (isCommand ? (input['working_directory'] ?? input['workingDirectory']) : undefined) ?? cwd;
  return {
    tool: typeof tool === 'string' ? tool : '',
    input,
    ...(typeof directory === 'string' && directory !== '' ? { directory } : {}),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const asRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
