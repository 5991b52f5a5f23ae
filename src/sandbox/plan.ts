import { pathFrom, type BytePath } from '../git/paths.js';
import { join } from 'node:path';
import type { CheckoutGit } from '../git/checkout-git.js';
import type { Policy } from '../permissions/policy.js';
import type { HookCommandLine } from './hook.js';
import type { Machine } from './namespace/probe.js';
import type { HostRule } from './network/allowed-hosts.js';
import type { RefusedHost } from './network/ledger.js';

/** The checkout under the sandbox. */
export interface Checkout {
  /** The highest folder that belongs to it. */
  top: string;
  /** Where the agent works: the top or a folder below it. */
  directory: string;
  /** Undefined if there is no repository, or no git that can be trusted. */
  git: CheckoutGit | undefined;
  /** The `.git` of each repository in it, by their path from the top. */
  gitEntries: readonly string[];
}

/** Where a program of the sandbox finds its folders. */
export interface Places {
  home: string;
  temp: string;
  /** The top of the checkout, and the folder to work in. */
  top: string;
  directory: string;
  /** Variables that lead tools to their folders. */
  tools: Readonly<Record<string, string>>;
}

export interface SandboxPlan {
  machine: Machine;
  /** A folder for the sandbox only. */
  folder: string;
  checkout: Checkout;
  /** Whether the agent may write to its version of the checkout. Programs that write run one at a time. */
  access: 'read' | 'write';
  /** Whether the agent may run commands: then it gets the tools of this machine, and the files that git ignores. */
  runsCommands: boolean;
  /** Paths of the checkout that the agent must not see. */
  hide: readonly string[];
  /** Files that the agent sees instead, by their path from the top. It must not change them. */
  plant(directory: string): Readonly<Record<string, string | Buffer>>;
  /** Files that an earlier run wrote, by their path from the top of the repository. They count as changes of the agent. */
  carried?: ReadonlyMap<BytePath, Buffer>;
  /** Files of its home. They are written anew for each start. */
  homeFiles(places: Places): Readonly<Record<string, string>>;
  /** Folders of its home that a start which continues a chat finds again. */
  keep: readonly string[];
  /** What the agent may do, for its hook and for the judgement of what it left. */
  policy: Policy;
  /** The files of its home that make it ask our hook before each tool call. Undefined if it knows no hooks. */
  hook: ((command: HookCommandLine) => Readonly<Record<string, string>>) | undefined;
  program: string;
  /** Files and folders that the agent must be able to read. */
  readable: readonly string[];
  /** Folders with files that are not for it. */
  hidden: readonly string[];
  /** The whole environment of the agent, and that of the commands that verify its work. */
  environment(places: Places): Readonly<Record<string, string>>;
  commandEnvironment(places: Places): Readonly<Record<string, string>>;
  /** The hosts that the agent can reach, those of them that it cannot work without, and those that commands can reach. */
  hosts: { agent: readonly HostRule[]; vendor: readonly HostRule[]; commands: readonly HostRule[] };
  env: NodeJS.ProcessEnv;
  isSecret(value: string): boolean;
  /** Called for each host that is refused for the first time in a start. */
  onRefused(host: RefusedHost): void;
  onProgress(line: string): void;
}

/** The top of the repository that changes are about. */
export const repositoryTop = ({ git, top }: Checkout): string => git?.repository.root ?? top;

/** The `.git` of the other repositories in the checkout, and that of its own if no program may see it. */
export function gitEntriesOf({ checkout, machine }: SandboxPlan): { absent: string[]; nested: string[] } {
  const own = pathFrom(checkout.top, join(repositoryTop(checkout), '.git'));
  // Without git we cannot make a copy of it that has no credentials.
  const isSafe = checkout.git !== undefined || machine.kind === 'isolated';
  return { absent: isSafe ? [] : [own], nested: checkout.gitEntries.filter((entry) => entry !== own) };
}
