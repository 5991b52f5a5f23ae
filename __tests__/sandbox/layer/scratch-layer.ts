import { spawnSync } from 'node:child_process';
import { expect } from '@jest/globals';
import { mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findConfig } from '../../../src/permissions/checkout-config.js';
import { isolate, type Enclosure, type User } from '../../../src/sandbox/namespace/isolate.js';
import { planEnclosure } from '../../../src/sandbox/namespace/survey.js';
import type { Policy } from '../../../src/permissions/policy.js';
import type { Hiding, PatchResult } from '../../../src/git/change-patch.js';
import { fromText, toBytes } from '../../../src/git/paths.js';
import { openCheckoutGit, type CheckoutGit } from '../../../src/git/checkout-git.js';
import { findRepository } from '../../../src/git/repository.js';
import { applyChanges } from '../../../src/sandbox/layer/apply-changes.js';
import { planLayer, type Layer, type LayerMount } from '../../../src/sandbox/layer/layer.js';
import type { ProcessSpec } from '../../../src/sandbox/process.js';
import type { LayerChange } from '../../../src/permissions/layer-change.js';
import { openCopy } from '../../../src/sandbox/layer/copy-layer.js';
import { inspectLayer, type ChangedPath, type Inspection } from '../../../src/sandbox/layer/inspect-layer.js';
import type { FindKnown } from '../../../src/sandbox/layer/find-secrets.js';
import { openOverlay } from '../../../src/sandbox/layer/overlay-layer.js';
import { GIT, picture, policyOf, scratchFolder } from './scratch-repository.js';

/** How a layer is made: by the kernel, by copying for an isolated agent, or by copying only. */
export type LayerKind = 'overlay' | 'isolated copy' | 'copy';

const PATH = '/usr/local/bin:/usr/bin:/bin';

function machinePlaces() {
  const own = scratchFolder();
  const [home, temp, control] = ['home', 'temp', 'control'].map((name) => join(own, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, temp, control]) mkdirSync(folder);
  return { home, temp, control, hidden: [own], cli: '/bin/sh', shown: [], env: { PATH, HOME: home } };
}

/** The umask, which decides about the mode of new files. */
export const UMASK = 0o022;
process.umask(UMASK);

const machine = machinePlaces();
/** Namespaces need root, unless the kernel allows user namespaces. The tests of the isolation cover the other cases. */
const canIsolate = process.platform === 'linux' && process.getuid?.() === 0;

/** The implementations that work on this machine. */
export const KINDS: readonly LayerKind[] = canIsolate ? ['overlay', 'copy'] : ['copy'];
/** Those, and the copy that an isolated agent sees in the place of the checkout. */
export const ALL_KINDS: readonly LayerKind[] = canIsolate ? [...KINDS, 'isolated copy'] : KINDS;

export interface LayerOptions {
  policy?: Policy;
  /** Where the agent works. By default the top of the checkout. */
  directory?: string;
  /** What the action plants in the layer, and what it sets aside. */
  files?: Readonly<Record<string, string>>;
  absent?: readonly string[];
  /** What an earlier run wrote. */
  carried?: Readonly<Record<string, string>>;
  skipsIgnored?: boolean;
  /** An ordinary user, with sudo for the isolation. */
  user?: User;
  withoutGit?: boolean;
  findKnown?: FindKnown;
  /** What is said about a copy that takes long. */
  onProgress?: (work: string, files: number) => void;
}

/** A layer over a checkout, with an agent that is a shell script. */
export interface ScratchLayer {
  opened: Layer;
  checkout: string;
  git: CheckoutGit | undefined;
  /** Runs a script on the layer, in its working directory. */
  act(script: string): string;
  inspect(): Seen;
}

/** The result of an inspection. */
export interface Seen {
  inspection: Inspection;
  changes: ChangedPath[];
  /** Every path in the changes, including the former paths of renames. */
  paths: string[];
  /** One line for each. */
  violations: string[];
  patch(
    changes?: readonly LayerChange[],
    mayShow?: Hiding['mayShow'],
    redact?: Hiding['redact'],
  ): PatchResult & { text: string };
  /** Applies the allowed changes, or these, and checks that exactly those were made. */
  apply(changes?: readonly LayerChange[]): void;
}

export function openLayer(kind: LayerKind, checkout: string, options: LayerOptions = {}): ScratchLayer {
  const { policy = policyOf('fix-ci'), directory = checkout, user } = options;
  const own = scratchFolder();
  const folder = join(own, 'layer');
  const repository = options.withoutGit ? undefined : findRepository(checkout);
  const git = repository && openCheckoutGit({ repository, program: GIT, scratch: join(own, 'git') });
  const { gitEntries } = findConfig(checkout);
  const ownGit = relative(checkout, join(repository?.root ?? checkout, '.git'));
  const files = Object.entries(options.files ?? {});
  const plan = planLayer({
    root: checkout,
    absent: (options.absent ?? []).map(fromText),
    planted: new Map(files.map(([path, text]) => [fromText(path), { content: Buffer.from(text) }])),
    // Only what happens to files that the agent can change is looked at here.
    isLocked: false,
    nestedGit: gitEntries.filter((entry) => entry !== ownGit),
  });
  const privilege = kind === 'copy' ? undefined : user ? 'sudo' : 'root';
  const carried = new Map(
    Object.entries(options.carried ?? {}).map(([path, text]) => [fromText(path), Buffer.from(text)]),
  );
  const common = { checkout, folder, plan, carried, access: 'write' } as const;
  const { skipsIgnored = false, onProgress = () => undefined } = options;
  const copying = { git, skipsIgnored, onProgress };
  const opened =
    kind === 'overlay' && privilege !== undefined
      ? openOverlay({ ...common, privilege })
      : openCopy({ ...common, ...copying, privilege });
  // A layer is asked once for each program, because it is arranged for the first one only.
  let first = opened.mountFor(0);
  const enclosure = privilege && first && enclose(privilege, first);
  return {
    opened,
    checkout,
    git,
    act: (script) => {
      const cwd = join(opened.seen, relative(checkout, directory));
      const spec = { file: 'sh', args: ['-euc', script], cwd, env: { PATH, HOME: cwd }, input: '' };
      if (!enclosure) return runToEnd(spec, user);
      const mount = first ?? opened.mountFor(0);
      first = undefined;
      mount?.onReady();
      return runToEnd(isolate(spec, { ...enclosure, layer: mount?.setup }));
    },
    inspect: () => {
      const before = picture(checkout, { folders: true });
      const { findKnown = () => [] } = options;
      const inspection = inspectLayer({
        ...{
          layer: opened,
          checkout,
          directory,
          policy,
          git,
          nestedGit: gitEntries,
          findKnown,
          tampering: [],
        },
      });
      expect(picture(checkout, { folders: true })).toEqual(before);
      return seen(inspection, join(own, 'changes.patch'));
    },
  };

  function enclose(rights: 'root' | 'sudo', mount: LayerMount): Enclosure {
    const places = {
      ...(user ? machinePlaces() : machine),
      layer: { root: checkout, by: mount.by, as: mount.as },
      directory,
    };
    const planned = planEnclosure(places, { privilege: rights, keyring: undefined });
    return user ? { ...planned, user } : planned;
  }
}

/** The script must succeed, because a failed one would prove nothing. */
function runToEnd({ file, args, ...rest }: ProcessSpec, user?: User): string {
  const run = spawnSync(file, args, { ...rest, ...(user ? { uid: user.uid, gid: user.gid } : {}) });
  if (run.status !== 0)
    throw new Error(`The script failed (${run.status ?? run.signal}): ${run.stderr.toString('utf8')}`);
  return run.stdout.toString('utf8');
}

function seen(inspection: Inspection, file: string): Seen {
  const { changes, allowed, root } = inspection;
  return {
    inspection,
    changes,
    paths: [
      ...new Set(changes.flatMap((one) => (one.status === 'renamed' ? [one.from, one.path] : [one.path]))),
    ].sort(),
    violations: inspection.violations.map(({ path, reason }) => `${path}: ${reason}`).sort(),
    patch: (some = allowed, mayShow = () => true, redact) => {
      const result = inspection.writePatch(some, file, { mayShow, ...(redact ? { redact } : {}) });
      return { ...result, text: result.file === undefined ? '' : readFileSync(result.file, 'latin1') };
    },
    apply: (some = allowed) => {
      const { sourceOf } = inspection;
      const expected = withChanges(picture(root), some, sourceOf);
      applyChanges({ changes: some, sourceOf, to: fromText(root) });
      expect(picture(root)).toEqual(expected);
    },
  };
}

/** The files of a checkout after exactly these changes. Empty folders do not count. */
function withChanges(
  before: Record<string, string>,
  changes: readonly LayerChange[],
  sourceOf: Inspection['sourceOf'],
): Record<string, string> {
  const changed = new Set(changes.map(({ path }) => path));
  const after = Object.fromEntries(Object.entries(before).filter(([path]) => !changed.has(path)));
  for (const change of changes) {
    const { path, after: state } = change;
    const source = toBytes(sourceOf(change));
    if (state.kind === 'link') after[path] = `link ${readlinkSync(source, 'latin1')}`;
    if (state.kind !== 'file') continue;
    const former = /^[0-7]+(?= )/.exec(before[path] ?? '')?.[0];
    const mode = former === undefined ? 0o666 & ~UMASK : Number.parseInt(former, 8) & 0o666;
    const executable = state.executable ? (mode & 0o444) >> 2 : 0;
    after[path] = `${(mode | executable).toString(8)} ${readFileSync(source, 'base64')}`;
  }
  return after;
}
