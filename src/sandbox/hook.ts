import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { attempt } from '../core/errors.js';
import { fromText } from '../git/paths.js';
import {
  describeHookDenial,
  formatHookPolicy,
  HOOK_PROGRAM,
  parseHookDenial,
  type HookPolicy,
} from '../permissions/hook-messages.js';
import type { Violation } from '../permissions/layer-change.js';
import { parseJson } from '../text/json.js';
import { writeFiles } from './files.js';
import { readFully, withFile } from './layer/file-tree.js';
import { findTampering } from './layer/layer.js';
import { shellQuote } from '../core/programs.js';

/** The program that an agent asks before each tool call. */
export interface HookCommandLine {
  command: string;
  /** Whether a call is denied if the program fails. */
  failClosed: boolean;
}

interface HookRequest {
  /** A folder for the hook only. An isolated agent sees it read-only. */
  folder: string;
  home: string;
  temp: string;
  policy: HookPolicy;
  /** The files of the home that make the agent ask, by their path in it. */
  files(command: HookCommandLine): Readonly<Record<string, string>>;
}

/**
 * Our own hook, which the CLI asks before each tool call: a second fence behind its permission rules, also with
 * --force, and the only one for sub-agents and for web tools on the vendor's servers.
 *
 * Nothing keeps an agent that is not isolated from its files, because it runs as the same user. Then it is a violation if
 * they are not the same afterwards.
 */
export interface Hook {
  /** Files and folders that the agent must be able to read. */
  shown: readonly string[];
  homeFiles: Readonly<Record<string, string>>;
  /** The files of the hook that were changed or removed. */
  tampering(): Violation[];
  /** What the hook decided in one start. The agent can write there too, so no verdict depends on it. */
  tally(): HookCounts;
}

export interface HookCounts {
  judged: number;
  denied: number;
  /** How often each reason was given. */
  denials: Record<string, number>;
}

/** Beside this bundle in `dist/`. */
const PROGRAM = resolve(process.argv[1] ?? '.', '..', '..', 'hook', 'index.js');
const REPORTS = 'hook-decisions.ndjson';

/** Whether a hook in this folder can be started. */
export const canHook = (folder: string): boolean => commandIn(folder) !== undefined && existsSync(PROGRAM);

const commandIn = (folder: string) => commandLine([process.execPath, join(folder, HOOK_PROGRAM)]);

export function openHook({ folder, home, temp, policy, files }: HookRequest): Hook {
  const code = readFileSync(PROGRAM);
  const reports = join(temp, REPORTS);
  const ours = {
    [HOOK_PROGRAM]: code,
    'policy.json': Buffer.from(formatHookPolicy({ ...policy, reportTo: reports })),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(ours))
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  // How the CLI starts hooks on Windows is not known. A hook that cannot start must not block every call.
  const homeFiles = files({ command: commandIn(folder) ?? '', failClosed: process.platform !== 'win32' });
  writeFiles(home, homeFiles);
  return {
    shown: [folder, process.execPath],
    homeFiles,
    tampering: () => [...changedIn('~', home, homeFiles), ...changedIn('hook', folder, ours)],
    tally: () => readTally(reports),
  };
}

function changedIn(
  place: string,
  folder: string,
  files: Readonly<Record<string, string | Buffer>>,
): Violation[] {
  const planted = new Map(
    Object.entries(files).map(([name, content]) => [fromText(name), { content: Buffer.from(content) }]),
  );
  return findTampering({ planted }, fromText(folder)).map(({ path, reason }) => ({
    path: `${place}/${path}`,
    reason,
  }));
}

/** As a shell reads it. On Windows it is not known which shell that is, so there it must need no quotes. */
function commandLine(words: readonly string[]): string | undefined {
  if (process.platform !== 'win32') return words.map(shellQuote).join(' ');
  return words.every((word) => /^[\w:.\\-]+$/.test(word)) ? words.join(' ') : undefined;
}

const ReportSchema = z.object({
  tool: z.string().check(z.maxLength(64)),
  permission: z.enum(['allow', 'deny']),
  why: z.optional(z.string().check(z.maxLength(500))),
});

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DENIALS = 50;

/** A file that cannot be read costs the counts, not the run. */
function readTally(path: string): HookCounts {
  const tally: HookCounts = { judged: 0, denied: 0, denials: {} };
  const buffer = Buffer.alloc(MAX_BYTES);
  const length = attempt(() => withFile(fromText(path), 'force', (file) => readFully(file, buffer))) ?? 0;
  for (const line of buffer.toString('utf8', 0, length).split('\n')) {
    const report = ReportSchema.safeParse(parseJson(line));
    if (!report.success) continue;
    tally.judged += 1;
    if (report.data.permission === 'allow') continue;
    tally.denied += 1;
    const denial = parseHookDenial(report.data.why ?? '');
    if (denial) addDenials(tally, { [describeHookDenial(denial)]: 1 });
  }
  return tally;
}

export function addTally(total: HookCounts, { judged, denied, denials }: HookCounts): void {
  total.judged += judged;
  total.denied += denied;
  addDenials(total, denials);
}

function addDenials({ denials }: HookCounts, more: HookCounts['denials']): void {
  for (const [sentence, count] of Object.entries(more))
    if (Object.hasOwn(denials, sentence) || Object.keys(denials).length < MAX_DENIALS)
      denials[sentence] = (denials[sentence] ?? 0) + count;
}
