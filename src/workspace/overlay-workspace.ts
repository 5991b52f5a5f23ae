import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asRoot, isolate, namespaceCommand, type Enclosure, type How } from '../isolation/isolate.js';
import { removeLayer } from '../isolation/remove-layer.js';
import { INNER_SCRIPT, OVERLAY_OPTIONS } from '../isolation/script.js';
import { onOneLine, quote } from '../isolation/shell-words.js';
import { fromText, foldersAbove, joinBytes, toText, type BytePath } from '../git/byte-path.js';
import { ABSENT, entryAt, entryBelow, namesIn, readLink, type Entry } from './file-tree.js';
import { isSetAside, plantedPaths, type LayerPlan } from './layer-plan.js';
import { overlayChanges, type OverlayFolders } from './overlay-changes.js';
import { findTampering, plantFiles } from './planted-files.js';
import type { LayerView, Workspace } from './workspace.js';

export interface OverlayRequest {
  /** The top of the checkout. */
  checkout: string;
  /** A folder of the run, for the layer alone. */
  folder: string;
  plan: LayerPlan;
  /** Whether the agent may write at all. */
  access: 'read' | 'write';
  /** Our own files in the layer, which the agent reads and must not change. */
  locked: readonly string[];
  /** How the agent is kept apart, but for its layer. */
  enclosure: Omit<Enclosure, 'layer'>;
}

/** Where the parts of a layer are, below its folder. */
export const currentLayer = (folder: string): string => join(folder, 'current');

/** A layer that the kernel makes: it costs nothing to set up, and holds what was written and no more. */
export function openOverlay({
  checkout,
  folder,
  plan,
  access,
  locked,
  enclosure,
}: OverlayRequest): Workspace {
  const current = currentLayer(folder);
  const planted = join(folder, 'planted');
  const at = (path: string) => join(checkout, path);
  const [upper, lower] = [fromText(join(current, 'upper')), fromText(checkout)];
  const make = () => {
    for (const name of ['upper', 'work']) mkdirSync(join(current, name), { recursive: true });
    // The top of the layer is this folder, so it is as open as the top of the checkout.
    chmodSync(join(current, 'upper'), (statSync(checkout).mode & 0o777) | 0o700);
  };
  for (const name of ['lower', 'view', 'planted']) mkdirSync(join(folder, name), { recursive: true });
  plantFiles(plan, planted);
  make();
  const layer = {
    root: checkout,
    access,
    absent: plan.absent.map(at),
    planted: { folder: planted, paths: plantedPaths(checkout, plan).map(at) },
    locked: locked.map(at),
  };
  const askSeen = (paths: readonly BytePath[]) => askOverlay(paths, { checkout, folder, how: enclosure.how });
  const ignore = isOurs(plan);
  let tries = 0;
  let remade: ReadonlySet<BytePath> = new Set();
  return {
    seen: checkout,
    written: upper,
    enter: (spec) => isolate(spec, { ...enclosure, layer }),
    renew() {
      tries += 1;
      renameSync(current, join(folder, `old-${tries}`));
      make();
    },
    changes() {
      const inspection = overlayChanges({ upper, lower }, askSeen);
      remade = inspection.remade;
      return inspection.changes.filter((change) => !ignore(change));
    },
    tampering: () => findTampering(plan, upper),
    view: overlayView({ upper, lower }, () => remade),
    close: () => {
      removeLayer(folder, enclosure.how);
    },
  };
}

/** What is as the action arranged it is no change. */
export function isOurs(plan: LayerPlan): (change: { path: BytePath; after: { kind: string } }) => boolean {
  const aside = isSetAside(plan);
  const planted = new Set([...plan.files.keys()].map(fromText));
  return ({ path, after }) => planted.has(path) || (after.kind === 'absent' && aside(toText(path)));
}

const PATIENCE_MS = 60_000;

/** Mounts the layer once more, for reading, and looks which of these paths are there. */
function askOverlay(
  paths: readonly BytePath[],
  { checkout, folder, how }: { checkout: string; folder: string; how: How },
): boolean[] {
  const script = [
    'set -eu',
    `cd ${quote(fromText(folder))}`,
    `mount -n -c --bind ${quote(fromText(checkout))} lower`,
    `mount -n -c -t overlay -o ro,${OVERLAY_OPTIONS[how].attributes}lowerdir=current/upper:lower overlay view`,
    'cd view',
    `for path in ${paths.map((path) => quote(`./${path}`)).join(' ')}; do`,
    'if [ -e "$path" ] || [ -L "$path" ]; then echo yes; else echo no; fi',
    'done',
  ].join('\n');
  const [file = '', ...args] = [
    ...asRoot(how),
    ...namespaceCommand(how, []),
    ...['sh', '-c', INNER_SCRIPT, 'inspection'],
  ];
  const run = spawnSync(file, args, {
    cwd: '/',
    input: Buffer.from(onOneLine(script, 'line_break'), 'latin1'),
    timeout: PATIENCE_MS,
    maxBuffer: 1 << 26,
  });
  const answers = run.stdout.toString('utf8').split('\n').filter(Boolean);
  if (run.status !== 0 || answers.length !== paths.length) {
    const words = run.error?.message ?? run.stderr.toString('utf8').trim();
    throw new Error(`The layer could not be mounted to be looked at: ${words || 'it ended too early'}`);
  }
  return answers.map((answer) => answer === 'yes');
}

/** What is seen through the layer; nothing is behind a link. */
function overlayView({ upper, lower }: OverlayFolders, remade: () => ReadonlySet<BytePath>): LayerView {
  const isWritten = (path: BytePath) => entryAt(joinBytes(upper, path)).kind !== 'absent';
  const entry = (path: BytePath): Entry => {
    const folders = foldersAbove(path);
    if (folders[0] !== undefined && entry(folders[0]).kind !== 'folder') return ABSENT;
    const written = entryAt(joinBytes(upper, path));
    if (written.kind === 'whiteout') return ABSENT;
    if (written.kind !== 'absent') return written;
    return folders.some((folder) => remade().has(folder)) ? ABSENT : entryBelow(lower, path);
  };
  return {
    entryAt: entry,
    linkAt: (path) => readLink(joinBytes(isWritten(path) ? upper : lower, path)),
    namesIn: (folder) => {
      const names = [upper, lower].flatMap((side) => namesIn(joinBytes(side, folder), 'ask'));
      return [...new Set(names)].filter((name) => entry(joinBytes(folder, name)).kind !== 'absent');
    },
  };
}
