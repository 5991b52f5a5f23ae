import { randomBytes } from 'node:crypto';
import type { ChosenScope, ReviewTerms } from '../context/choose-scope.js';
import type { GivenKind } from '../context/choose-context.js';
import {
  composePrompt,
  followUp,
  presetInstruction,
  presetTask,
  type PromptContext,
} from '../context/prompt.js';
import { digest } from '../github/marker.js';
import { formatPermission } from '../permissions/permission-token.js';
import type { RunRecord } from '../report/model.js';
import { answerForm } from '../review/read-answer.js';
import type { CheckedInputs } from './resolve-inputs.js';
import { agentSecret } from './secrets.js';

/** What was gathered, as far as the prompt depends on it. */
interface Given {
  contexts: readonly PromptContext[];
  scope: Pick<ChosenScope, 'since'> | undefined;
}

/** The prompt, and which words of it come from the preset. */
export function writePrompt(
  checked: CheckedInputs,
  { contexts, scope }: Given,
): Pick<RunRecord, 'instruction' | 'task'> & { prompt: string } {
  const kinds = contexts.map(({ kind }) => kind);
  const { instruction, task } = presetWords(checked, kinds);
  const prompt = composePrompt({
    instruction,
    contexts,
    follows: checked.inputs.preset === 'review' ? followUp(kinds, scope?.since !== undefined) : undefined,
    task: task ?? checked.resolved.prompt,
    instructions: checked.inputs.instructions,
    answerForm: checked.expectation && answerForm(checked.expectation),
  });
  return {
    prompt,
    instruction,
    ...(task === undefined ? {} : { task }),
  };
}

function presetWords({ inputs }: CheckedInputs, kinds: readonly GivenKind[]) {
  return {
    instruction: presetInstruction(inputs.preset),
    task: inputs.prompt.kind === 'built-in' ? presetTask(inputs.prompt.preset, kinds) : undefined,
  };
}

/**
 * The terms of a review. Whatever changes what a review looks for or what it is worth belongs here, and nothing that
 * differs from one push to the next.
 */
export function reviewTerms(
  checked: CheckedInputs,
  { pull, kinds, env }: { pull: string; kinds: readonly GivenKind[]; env: NodeJS.ProcessEnv },
): ReviewTerms {
  const { inputs, resolved, expectation } = checked;
  const { instruction, task } = presetWords(checked, kinds);
  const words = [
    ...[instruction, task ?? resolved.prompt, inputs.instructions],
    expectation && answerForm(expectation),
  ];
  return {
    pull,
    prompt: digest('prompt', words, inputs.agent, inputs.model),
    policy: {
      preset: inputs.preset,
      mode: inputs.mode,
      allow: inputs.allow.map(formatPermission),
      deny: inputs.deny.map(formatPermission),
      mcpServers: Object.keys(resolved.mcp?.config.mcpServers ?? {}),
      projectRules: inputs.projectRules,
      directory: inputs.workingDirectory,
      exclude: inputs.exclude,
    },
    secret: agentSecret(inputs, env),
  };
}

/** Encloses data in a prompt. It is random, so that no text can pretend to be its end. */
export const newBoundary = (): string => `data-${randomBytes(12).toString('hex')}`;
