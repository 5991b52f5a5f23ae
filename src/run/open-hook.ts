import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Agent } from '../agent/agent.js';
import { fromText } from '../git/paths.js';
import { quote } from '../isolation/shell-words.js';
import { formatHookPolicy } from '../permissions/hook-messages.js';
import type { CallPolicy } from '../permissions/judge-call.js';
import type { HookTally } from '../report/model.js';
import { plural } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import { findTampering, type Violation } from '../workspace/workspace.js';
import { listenToHook } from './hook-reports.js';
import { writeFiles, type RunFolder } from './run-folder.js';

/**
 * Our own hook, which the CLI asks before each tool call: a second fence behind its permission rules, also with
 * --force, and the only one for sub-agents and for web tools on the vendor's servers.
 *
 * Program and policy are in a folder of their own. An isolated agent sees it read-only, and its `hooks.json` too.
 * Nothing keeps an agent that is not isolated from these files, because it runs as the same user. Then it is a
 * violation if they are not the same afterwards.
 */
export interface Hook {
  /** Files and folders that the agent must be able to read. */
  shown: readonly string[];
  /** Files of the agent's home that make the CLI ask, by their path in it. */
  homeFiles: Readonly<Record<string, string>>;
  /** Writes the policy. Before that the hook denies everything. */
  usePolicy(policy: CallPolicy): void;
  /** The files of the hook that were changed or removed. */
  tampering(): Violation[];
  /** What the hook reported, also as a line for the log. No more is received after this. */
  close(tell: (line: string) => void): HookTally;
}

/** Beside this bundle in `dist/`. */
const PROGRAM = resolve(process.argv[1] ?? '.', '..', '..', 'hook', 'index.js');

/** Undefined if the agent knows no hooks, or if the hook could not be started. */
export async function openHook(
  agent: Agent,
  { hook: folder, home }: RunFolder,
  source = PROGRAM,
): Promise<Hook | undefined> {
  const node = process.execPath;
  const program = join(folder, 'hook.cjs');
  const command = commandLine([node, program]);
  if (agent.hookFiles === undefined || command === undefined || !existsSync(source)) return undefined;
  mkdirSync(folder, { recursive: true });
  const code = readFileSync(source);
  writeFileSync(program, code);
  const ours = new Map([['hook.cjs', code]]);
  const reports = await listenToHook(folder);
  const homeFiles = agent.hookFiles({
    command,
    // How the CLI starts hooks on Windows is not known. A hook that cannot start must not block every call.
    failClosed: process.platform !== 'win32',
  });
  const inHome = new Map(Object.entries(homeFiles).map(([name, text]) => [name, Buffer.from(text)]));
  return {
    shown: [folder, node, ...(reports.address === undefined ? [] : [reports.address])],
    homeFiles,
    usePolicy(policy) {
      const text = formatHookPolicy({ ...policy, reportTo: reports.address });
      writeFiles(folder, { 'policy.json': text });
      ours.set('policy.json', Buffer.from(text));
    },
    tampering: () =>
      [
        { place: '~', files: inHome, folder: home },
        { place: 'hook', files: ours, folder },
      ].flatMap(({ place, files, folder: written }) =>
        findTampering({ absent: [], files }, fromText(written)).map(({ path, reason }) => ({
          path: `${place}/${path}`,
          reason,
        })),
      ),
    close(tell) {
      reports.close();
      const tally = reports.tally();
      tell(logLine(describeTally(tally)));
      return tally;
    },
  };
}

/** As a shell reads it. On Windows it is not known which shell that is, so there it must need no quotes. */
function commandLine(words: readonly string[]): string | undefined {
  if (process.platform !== 'win32') return words.map(quote).join(' ');
  return words.every((word) => /^[\w:.\\-]+$/.test(word)) ? words.join(' ') : undefined;
}

const MOST_SENTENCES = 5;

/** One line for the log. */
function describeTally({ judged, denied, denials }: HookTally): string {
  const sentences = Object.entries(denials)
    .slice(0, MOST_SENTENCES)
    .map(([sentence, times]) => `${sentence} × ${times}`);
  return [
    judged === 0
      ? 'our hook saw no tool calls'
      : `our hook judged ${plural(judged, 'tool call')} and denied ${denied}`,
    ...(sentences.length === 0 ? [] : [sentences.join(', ')]),
  ].join(': ');
}
