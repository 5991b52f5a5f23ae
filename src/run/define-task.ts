import { AGENTS } from '../agent/agent.js';
import { namesOf } from '../git/diff.js';
import { effectivePolicy, mayWrite, type Policy } from '../permissions/policy.js';
import type { RunRecord } from '../report/model.js';
import { chatsOf, maxPartsFor, planPasses, type PassPlan, type ReviewChat } from '../review/effort.js';
import { canHook } from '../sandbox/index.js';
import type { Redact } from '../text/redact.js';
import type { Context } from './gather-context.js';
import { asApplied, findRules, type ChosenRules, type RulesWanted } from './project-rules.js';
import { realFolder } from './resolve-inputs.js';
import type { Admitted } from './run-state.js';
import type { ReviewSources } from './structured-answer.js';
import { chooseCommands, type ChosenCommands } from './verify-commands.js';
import { contextsFor, splitChange, writePrompt } from './write-prompt.js';

/** Everything that is known before something is started. */
export interface Task extends Admitted {
  /** What the agent may do. */
  policy: Policy;
  hasHook: boolean;
  context: Context;
  /** What findings are judged by, as it was before the agent started. */
  reviewed: ReviewSources;
  rules: ChosenRules;
  /** How often the change is reviewed, and whether the findings are validated. */
  plan: PassPlan;
  /** The whole prompt: the task and what the action adds to it. */
  prompt: string;
  /** The chats of a review, each with what it reads and is asked. */
  chats: readonly (ReviewChat & { prompt: string })[];
  /** What the change is verified with. */
  commands: ChosenCommands;
}

/** What the task is made from. */
export type ReadyForTask = Admitted & Pick<Task, 'context' | 'reviewed'>;

interface DefinedTask {
  task: Task;
  /** For the record of the run. */
  recorded: Partial<RunRecord>;
  notes: string[];
}

/** Decides what the agent is asked, what it may do, and how its work is checked. */
export async function defineTask(known: ReadyForTask, redact: Redact): Promise<DefinedTask> {
  const { inputs, event, history, context, runFolder, resolved, expectation } = known;
  const hasHook = AGENTS[inputs.agent].hookFiles !== undefined && canHook(runFolder.sandbox);
  const policy = effectivePolicy({
    ...inputs,
    hasHook,
    realPath: realFolder,
    mcpServers: Object.keys(resolved.mcp?.config.mcpServers ?? {}),
    readable: context.contexts.length > 0 ? runFolder.context : undefined,
  });
  const review = await reviewedFiles(known);
  const rules = await findRules({ setting: inputs.projectRules, event, history, review });
  const { team } = rules;
  const { effort, maxStarts, resume } = inputs;
  // Only a review with findings that changes nothing has several passes, parts or a validation.
  const isReview = expectation?.kind === 'findings' && !mayWrite(policy);
  const request = { effort, maxStarts, isReview, continuesChat: resume !== undefined };
  const parts = splitChange(context.contexts, maxPartsFor(request));
  const plan = planPasses(request, parts.length);
  const material = { ...context, team };
  const { prompt, ...fromPreset } = writePrompt(known, material);
  const chats = chatsOf(parts, plan.passes).map((chat) => {
    const contexts = contextsFor(chat, context.contexts);
    const isFirst = contexts === context.contexts;
    return { ...chat, prompt: isFirst ? prompt : writePrompt(known, { ...material, contexts }).prompt };
  });
  const commands = chooseCommands(inputs, context.commands, redact);
  return {
    task: { ...known, policy, hasHook, rules, plan, prompt, chats, commands },
    recorded: { ...fromPreset, ...(team.length > 0 ? { teamRules: team.map(asApplied) } : {}) },
    notes: [...rules.notes, ...(isReview || effort === 'medium' ? [] : [effortWithoutEffect(effort)])],
  };
}

const effortWithoutEffect = (effort: string): string =>
  `effort: ${effort} has no effect, because it is only for reviews with findings that change no files.`;

/** The files that a review is about, as far as they are known; undefined if the run is no review. */
async function reviewedFiles({ inputs, expectation, context }: ReadyForTask): Promise<RulesWanted['review']> {
  const isReview =
    inputs.preset === 'review' && (inputs.prompt.kind === 'built-in' || expectation?.kind === 'findings');
  if (!isReview) return undefined;
  const files = context.recorded.context?.flatMap((context) => context.files ?? []) ?? [];
  if (files.length > 0) return { files };
  const changed = await context.change?.files().catch(() => undefined);
  return { files: changed?.flatMap(namesOf) };
}
