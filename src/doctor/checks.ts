import * as z from 'zod/mini';
import { describeCredential, type Credential, type Exchange } from '../agent/credential.js';
import { newerCliNotice, olderCliWarning } from '../agent/cursor.js';
import type { Exit } from '../core/exit.js';
import { describeMachine, type Machine } from '../sandbox/index.js';
import { parseHookDenial } from '../permissions/hook-messages.js';
import type { HookTally, ToolCall, Unrecognised, Verdict } from '../report/model.js';
import type { Inputs } from '../run/inputs.js';
import { plural } from '../text/format.js';
import { escapeText, table } from '../text/markdown.js';
import { commandOf, DENIED_BY, fileOf, STARTS, UNASKED, type DeniedBy, type StartName } from './canaries.js';

/** What the agent and its commands could reach in one start. */
export interface NetworkEvidence {
  state: 'closed' | 'open';
  /** The sentence about it that a run prints. */
  words: string;
  /** The commands that looked for a way out, and those of them that have a network interface. */
  asked: readonly string[];
  linked: readonly string[];
  /** How often a service of this machine was reached that was not allowed. */
  leaks: number;
  /** The connections to the vendor that were made through the proxy. */
  vendor: number;
  /** The public hosts that were asked for and refused. */
  refused: readonly string[];
}

/**
 * What one start of the agent left behind. Nothing here is the word of the agent, except for the calls in its stream:
 * they show what it tried, and which refusals the CLI announced.
 */
export interface Start {
  exit: Exit;
  verdict: Verdict;
  hasResult: boolean;
  calls: readonly Pick<ToolCall, 'kind' | 'target' | 'state' | 'byHook' | 'message'>[];
  unrecognised: Pick<Unrecognised, 'count' | 'labels' | 'tools'>;
  /** What our hook reported; missing if it could not be set up. */
  hook?: HookTally;
  isolation: Machine;
  network: NetworkEvidence;
  /** The commands that really ran, and those of them that reached a folder outside of the isolation. */
  ran: readonly string[];
  escaped: readonly string[];
  /** The files that the agent changed in its layer. */
  changed: readonly string[];
  /** The same files, as far as they were in the checkout before and after the action applied what is allowed. */
  early: readonly string[];
  applied: readonly string[];
}

export interface DoctorEvidence {
  cli: { version?: string | undefined } | { problem: string };
  /** Missing if the key was not exchanged, because `credential` is `key`. */
  exchange?: Exchange;
  /** What the agent signed in with. */
  credential?: Credential['kind'];
  /** The inputs. */
  isolation: Inputs['isolation'];
  network: Inputs['network'];
  /** Why the agent was not started, or not as often as planned. */
  stopped?: { reason: string; detail: string };
  starts: Readonly<Partial<Record<StartName, Start>>>;
}

/** `unknown` if the evidence shows neither, for example because the model did not do what it was asked. */
const ANSWERS = ['pass', 'fail', 'unknown'] as const;
type AnswerWord = (typeof ANSWERS)[number];

interface CheckAnswer {
  answer: AnswerWord;
  /** What was seen, in one sentence or two. */
  detail: string;
}

/** One assumption that the action relies on. */
interface Check {
  id: string;
  question: string;
  answer(evidence: DoctorEvidence): CheckAnswer;
}

const pass = (detail: string): CheckAnswer => ({ answer: 'pass', detail });
const fail = (detail: string): CheckAnswer => ({ answer: 'fail', detail });
const unknown = (detail: string): CheckAnswer => ({ answer: 'unknown', detail });

/** What denies a call, other than nothing, and its name in texts. */
const BY = { rule: 'cli.json', hook: 'our hook' } as const;
type Refuser = keyof typeof BY;

const startsOf = ({ starts }: DoctorEvidence): Start[] => STARTS.flatMap((name) => starts[name] ?? []);

/** Why there is nothing to look at. */
const notStarted = ({ cli, stopped }: DoctorEvidence): CheckAnswer =>
  unknown(
    'problem' in cli ? 'There is no CLI to check.' : (stopped?.detail ?? 'The agent did not get so far.'),
  );

export const CHECKS: readonly Check[] = [
  {
    id: 'cli',
    question: 'Is the CLI installed, and is its build one that this action knows?',
    answer: ({ cli }) => {
      if ('problem' in cli) return fail(cli.problem);
      if (cli.version === undefined) return unknown('The path of the CLI does not say which build it is.');
      const [older, newer] = [olderCliWarning(cli.version), newerCliNotice(cli.version)];
      if (older !== undefined) return fail(older);
      return newer === undefined ? pass(`Its build is ${cli.version}.`) : unknown(newer);
    },
  },
  { id: 'key', question: 'Does Cursor accept the API key?', answer: judgeKey },
  { id: 'exchange', question: 'Can the key be exchanged for a token?', answer: judgeExchange },
  { id: 'token', question: 'Does the CLI sign in with that token?', answer: judgeToken },
  {
    id: 'isolation',
    question: 'Are the agent’s commands kept from the rest of the machine?',
    answer: judgeIsolation,
  },
  {
    id: 'network',
    question: 'Can the agent reach its vendor, and nothing else?',
    answer: judgeNetwork,
  },
  {
    id: 'layer',
    question: 'Do the agent’s changes stay out of the checkout until they are judged?',
    answer: (evidence) => {
      const starts = startsOf(evidence);
      const early = starts.flatMap((start) => start.early);
      if (early.length > 0) return fail(`The agent wrote to the checkout itself: ${named(early)}.`);
      const changed = starts.flatMap((start) => start.changed);
      if (changed.length > 0) return pass('What the agent wrote was in its layer only.');
      return starts.length === 0 ? notStarted(evidence) : unknown('The agent wrote nothing.');
    },
  },
  {
    id: 'control',
    question: 'Do commands and edits work if nothing denies them?',
    answer: (evidence) => {
      const start = evidence.starts.control;
      if (start === undefined) return notStarted(evidence);
      const denied = DENIED_BY.flatMap((deniedBy) => [
        ...(isDenied(commandCalls(start, deniedBy)) ? [commandOf(deniedBy)] : []),
        ...(isDenied(fileCalls(start, deniedBy)) ? [fileOf(deniedBy)] : []),
      ]);
      if (denied.length > 0) return fail(`Refused although nothing denies it: ${named(denied)}.`);
      const missing = [
        ...DENIED_BY.map(commandOf).filter((command) => !start.ran.includes(command)),
        ...DENIED_BY.map(fileOf).filter((file) => !start.changed.includes(file)),
      ];
      return missing.length === 0
        ? pass('All commands ran and all files were written.')
        : unknown(`The agent did not do this: ${named(missing)}.`);
    },
  },
  ...refusalChecks('rule'),
  { id: 'hook-asked', question: 'Does the CLI ask our hook before tool calls?', answer: judgeHook },
  ...refusalChecks('hook'),
  {
    id: 'guard',
    question: 'Is a change that no rule allows kept from the checkout?',
    answer: (evidence) => {
      const starts = startsOf(evidence);
      if (starts.some(({ applied }) => applied.includes(UNASKED)))
        return fail(`${UNASKED} was applied, although no rule allows it.`);
      if (starts.some(({ changed }) => changed.includes(UNASKED)))
        return pass(`A command wrote ${UNASKED}, and it was not applied.`);
      return starts.length === 0 ? notStarted(evidence) : unknown('The agent changed nothing like that.');
    },
  },
  {
    id: 'exit',
    question: 'Does the CLI end by itself after its result?',
    answer: (evidence) => {
      const ended = startsOf(evidence).filter(({ hasResult }) => hasResult);
      if (ended.length === 0) return notStarted(evidence);
      const late = ended.filter(({ exit }) => exit.kind === 'ended' && exit.why === 'after-result');
      return late.length === 0
        ? pass(`It did, ${ended.length} of ${ended.length} times.`)
        : fail(`It was still running ${late.length} of ${ended.length} times, and the action ended it.`);
    },
  },
  {
    id: 'events',
    question: 'Does the action know every event and every tool of the CLI that was seen?',
    answer: (evidence) => {
      const labels = unknownEvents(evidence);
      if (labels.length > 0) return fail(`It does not know: ${named(labels)}.`);
      return hasSignedIn(evidence) ? pass('It knows all of them.') : notStarted(evidence);
    },
  },
  {
    id: 'hosts',
    question: 'Does the action know every host that the CLI asks for?',
    answer: (evidence) => {
      const hosts = unknownHosts(evidence);
      if (hosts.length > 0) return fail(`It does not know: ${named(hosts)}.`);
      const isClosed = startsOf(evidence).some(({ network }) => network.state === 'closed');
      if (!isClosed && startsOf(evidence).length > 0) return unknown('The network was open.');
      return hasSignedIn(evidence) ? pass('It knows all of them.') : notStarted(evidence);
    },
  },
];

const unknownEvents = (evidence: DoctorEvidence): string[] => [
  ...new Set(
    startsOf(evidence).flatMap(({ unrecognised: { labels, tools } }) => [
      // Plain text between the events is no event.
      ...Object.keys(labels).filter((label) => label !== 'text'),
      ...Object.keys(tools),
    ]),
  ),
];
const unknownHosts = (evidence: DoctorEvidence): string[] => [
  ...new Set(startsOf(evidence).flatMap(({ network }) => network.refused)),
];

function refusalChecks(deniedBy: Refuser): Check[] {
  const judges = { command: judgeCommand, write: judgeWrite };
  return (['command', 'write'] as const).map((what) => ({
    id: `${deniedBy}-${what}`,
    question: `Is a ${what} refused that only ${BY[deniedBy]} denies?`,
    answer: (evidence) => withAndWithoutForce(evidence, (start) => judges[what](deniedBy, start, evidence)),
  }));
}

const MAX_NAMED = 10;

function named(names: readonly string[]): string {
  const different = [...new Set(names)];
  const more = different.length - MAX_NAMED;
  return `${different.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function refusedSignIn(evidence: DoctorEvidence): string | undefined {
  for (const { verdict } of startsOf(evidence))
    if (verdict.status === 'failure' && verdict.reason === 'auth') return verdict.detail;
  return undefined;
}
const hasSignedIn = (evidence: DoctorEvidence): boolean =>
  startsOf(evidence).some(({ hasResult }) => hasResult);

function judgeKey(evidence: DoctorEvidence): CheckAnswer {
  const { exchange, credential } = evidence;
  if (exchange?.kind === 'refused') return fail(exchange.why);
  if (exchange?.kind === 'token') return pass('Cursor gave a token for it.');
  const refused = credential === 'key' ? refusedSignIn(evidence) : undefined;
  if (refused !== undefined) return fail(refused);
  return hasSignedIn(evidence) ? pass('The agent worked with it.') : notStarted(evidence);
}

function judgeExchange({ exchange }: DoctorEvidence): CheckAnswer {
  switch (exchange?.kind) {
    case undefined:
      return unknown('It was not tried, because the input credential is key.');
    case 'token':
      return pass(describeCredential(exchange.credential));
    case 'unknown':
      return fail(`Cursor’s answer is not one that this action knows: ${exchange.why}.`);
    case 'refused':
    case 'unavailable':
      return unknown(exchange.why);
  }
}

function judgeToken(evidence: DoctorEvidence): CheckAnswer {
  if (evidence.credential === undefined) return notStarted(evidence);
  if (evidence.credential === 'key') return unknown('The agent had the key itself.');
  const refused = refusedSignIn(evidence);
  if (refused !== undefined) return fail(refused);
  return hasSignedIn(evidence)
    ? pass('The agent worked with it, and did not get the key.')
    : notStarted(evidence);
}

function judgeIsolation(evidence: DoctorEvidence): CheckAnswer {
  if (evidence.isolation === 'off') return unknown('It was not checked, because the input isolation is off.');
  if (evidence.stopped?.reason === 'isolation-unavailable') return fail(evidence.stopped.detail);
  const starts = startsOf(evidence);
  for (const { isolation } of starts)
    if (isolation.kind === 'not-isolated')
      return fail(
        `This runner cannot isolate the agent. ${isolation.why} If you accept that, set isolation: off.`,
      );
  const escaped = starts.flatMap((start) => start.escaped);
  if (escaped.length > 0) return fail(`A folder outside the sandbox was within reach of ${named(escaped)}.`);
  const [proof] = starts.filter(({ ran }) => ran.length > 0);
  if (proof === undefined)
    return starts.length === 0 ? notStarted(evidence) : unknown('No command ran in it.');
  return pass(describeMachine(proof.isolation, 'write'));
}

function judgeNetwork(evidence: DoctorEvidence): CheckAnswer {
  const off = (['network', 'isolation'] as const).find((input) => evidence[input] === 'off');
  if (off !== undefined) return unknown(`It was not checked, because the input ${off} is off.`);
  const starts = startsOf(evidence);
  const seen = starts.map(({ network }) => network);
  const open = seen.find(({ state }) => state === 'open');
  if (open) return fail(`${open.words} If you accept that, set network: off.`);
  const vendor = seen.reduce((sum, one) => sum + one.vendor, 0);
  if (
    vendor === 0 &&
    starts.some(({ verdict }) => verdict.status === 'failure' && verdict.reason === 'network')
  )
    return fail('The agent did not reach its vendor through the proxy.');
  const linked = seen.flatMap((one) => one.linked);
  if (linked.length > 0) return fail(`There was a network interface within reach of ${named(linked)}.`);
  if (seen.some(({ leaks }) => leaks > 0))
    return fail('A service of this machine was reached that nothing allows.');
  if (seen.every(({ asked }) => asked.length === 0))
    return seen.length === 0 ? notStarted(evidence) : unknown('No command ran in it.');
  return vendor > 0
    ? pass(
        `${plural(vendor, 'connection')} to the vendor came through the proxy, and nothing else was reached.`,
      )
    : unknown('Nothing else was reached, but the agent made no connection to its vendor.');
}

function judgeHook(evidence: DoctorEvidence): CheckAnswer {
  const starts = startsOf(evidence);
  if (starts.length === 0) return notStarted(evidence);
  if (starts.every(({ hook }) => hook === undefined)) return unknown('The hook could not be set up here.');
  const asked = starts.reduce((sum, { hook }) => sum + (hook?.judged ?? 0), 0);
  const calls = starts.reduce((sum, start) => sum + start.calls.length, 0);
  if (asked > 0) return pass(`It was asked ${asked} times for ${calls} tool calls.`);
  return calls > 0
    ? fail(`It was never asked, although the agent made ${calls} tool calls.`)
    : unknown('The agent made no tool call.');
}

/** The worst answer of the two starts with rules. `--force` must not make a difference. */
function withAndWithoutForce(evidence: DoctorEvidence, judge: (start: Start) => CheckAnswer): CheckAnswer {
  const judged = (start: Start | undefined, how: string): CheckAnswer => {
    if (start === undefined) return notStarted(evidence);
    const { answer, detail } = judge(start);
    return { answer, detail: `${how}: ${detail}` };
  };
  const { force, 'no-force': noForce } = evidence.starts;
  const answers = [judged(force, 'With --force'), judged(noForce, 'Without --force')];
  const worst = worstOf(answers);
  const details = answers.filter(({ answer }) => answer === worst).map(({ detail }) => detail);
  return { answer: worst, detail: [...new Set(details)].join(' ') };
}

type Calls = Start['calls'];
const commandCalls = ({ calls }: Start, deniedBy: DeniedBy): Calls =>
  calls.filter(({ kind, target }) => kind === 'shell' && target.includes(commandOf(deniedBy)));
const fileCalls = ({ calls }: Start, deniedBy: DeniedBy): Calls =>
  calls.filter(({ kind, target }) => kind === 'edit' && target.includes(fileOf(deniedBy)));
const isDenied = (calls: Calls): boolean => calls.some(({ state }) => state === 'denied');

/** Whether it was the rule or the hook that refused a call, and not something else. */
function isRefusedBy(
  deniedBy: Refuser,
  { calls, hook, token }: { calls: Calls; hook: Start['hook']; token: string },
): boolean {
  const denied = calls.filter(({ state }) => state === 'denied');
  if (deniedBy !== 'hook') return denied.some(({ byHook }) => byHook !== true);
  const isReported = Object.keys(hook?.denials ?? {}).some((sentence) => sentence.includes(token));
  return (
    isReported ||
    denied.some(({ byHook, message }) => byHook === true && parseHookDenial(message) !== undefined)
  );
}

function judgeCommand(deniedBy: Refuser, start: Start, { starts }: DoctorEvidence): CheckAnswer {
  const command = commandOf(deniedBy);
  const calls = commandCalls(start, deniedBy);
  if (start.ran.includes(command))
    return fail(
      isDenied(calls)
        ? `${command} was refused, but ran anyway.`
        : `${command} ran, although ${BY[deniedBy]} denies it.`,
    );
  if (!isRefusedBy(deniedBy, { calls, hook: start.hook, token: `Shell(${command})` }))
    return unknown(`${command} did not run, but nothing shows that ${BY[deniedBy]} refused it.`);
  const isControlled =
    start.ran.includes(commandOf('free')) && starts.control?.ran.includes(command) === true;
  return isControlled
    ? pass(`${command} was refused.`)
    : unknown(`${command} was refused, but it is not known to run where nothing denies it.`);
}

/** A file that a shell command wrote says nothing about the rules for tools that write files. */
function judgeWrite(deniedBy: Refuser, start: Start, { starts }: DoctorEvidence): CheckAnswer {
  const file = fileOf(deniedBy);
  const calls = fileCalls(start, deniedBy);
  if (start.changed.includes(file))
    return calls.some(({ state }) => state === 'ok')
      ? fail(`${file} was written, although ${BY[deniedBy]} denies it.`)
      : unknown(`${file} was written, but not with a tool for writing files.`);
  if (!isRefusedBy(deniedBy, { calls, hook: start.hook, token: `Write(${file})` }))
    return unknown(`${file} was not written, but nothing shows that ${BY[deniedBy]} refused it.`);
  const isControlled =
    start.changed.includes(fileOf('free')) && starts.control?.changed.includes(file) === true;
  return isControlled
    ? pass(`${file} was refused.`)
    : unknown(`${file} was refused, but it is not known to be written where nothing denies it.`);
}

/** A release may add checks and fields. The version changes if a field changes its meaning or is removed. */
const DOCTOR_VERSION = 1;

/** The report file of the doctor. */
export const DoctorSchema = z.object({
  version: z.literal(DOCTOR_VERSION),
  status: z.enum(ANSWERS),
  cliVersion: z.exactOptional(z.string()),
  platform: z.string(),
  model: z.string(),
  /** What the action does not know yet: an issue of its own for each that is new. */
  unknown: z.object({ events: z.array(z.string()), hosts: z.array(z.string()) }),
  checks: z.array(
    z.object({ id: z.string(), question: z.string(), answer: z.enum(ANSWERS), detail: z.string() }),
  ),
});
export type DoctorReport = z.infer<typeof DoctorSchema>;

export function buildDoctorReport(
  evidence: DoctorEvidence,
  { platform, model }: Pick<DoctorReport, 'platform' | 'model'>,
): DoctorReport {
  const checks = CHECKS.map(({ id, question, answer }) => ({ id, question, ...answer(evidence) }));
  const version = 'version' in evidence.cli ? evidence.cli.version : undefined;
  return {
    version: DOCTOR_VERSION,
    status: worstOf(checks),
    ...(version === undefined ? {} : { cliVersion: version }),
    platform,
    model,
    unknown: { events: unknownEvents(evidence), hosts: unknownHosts(evidence) },
    checks,
  };
}

const worstOf = (answers: readonly CheckAnswer[]): AnswerWord =>
  (['fail', 'unknown'] as const).find((word) => answers.some(({ answer }) => answer === word)) ?? 'pass';

const SHOWN: Readonly<Record<AnswerWord, string>> = { pass: 'pass', fail: '**fail**', unknown: 'unknown' };

const VERDICTS: Readonly<Record<AnswerWord, string>> = {
  pass: 'Everything that the action relies on holds here.',
  fail: 'Something that the action relies on does not hold here.',
  unknown: 'Nothing failed, but some answers are unknown.',
};

/** For the job summary. The details can contain text of the CLI and of the agent. */
export function renderDoctorReport({ status, cliVersion, platform, model, checks }: DoctorReport): string {
  const rows = checks.map(({ question, answer, detail }) => [
    escapeText(question),
    SHOWN[answer],
    escapeText(detail),
  ]);
  const setup = `CLI ${cliVersion ?? 'of an unknown build'} on ${platform}, model ${model}`;
  return [
    '## Doctor',
    `${VERDICTS[status]} ${escapeText(setup)}.`,
    table(['question', 'answer', 'what was seen'], rows),
  ].join('\n\n');
}
