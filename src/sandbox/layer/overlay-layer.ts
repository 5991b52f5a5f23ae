import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { foldersAbove, fromText, joinBytes, toText, type BytePath } from '../../git/paths.js';
import type { FileState, LayerChange, LayerEntry, LayerView } from '../../permissions/layer-change.js';
import { makeOverlay, removeLayer, runWithMounts, type PrivilegeSource } from '../namespace/isolate.js';
import { MOUNT, overlayAttributes } from '../namespace/mount-commands.js';
import { shellQuote } from '../../core/programs.js';
import { RUN_SENT_SCRIPT, sendScript } from '../namespace/shell-words.js';
import {
  ABSENT,
  asFile,
  entryAt,
  entryBelow,
  filesBelow,
  isSameState,
  namesIn,
  readLink,
} from './file-tree.js';
import {
  carryFiles,
  currentLayer,
  findTampering,
  isArranged,
  plantFiles,
  setupOf,
  withoutFiles,
  type Layer,
  type LayerRequest,
} from './layer.js';

interface OverlayRequest extends LayerRequest {
  /** What makes the mounts. */
  privilege: PrivilegeSource;
}

/** A layer made by the kernel. It takes no time to set up, and contains only what was written. */
export function openOverlay(request: OverlayRequest): Layer {
  const { checkout, folder, plan, privilege } = request;
  const [planted, lower] = [join(folder, 'planted'), fromText(checkout)];
  for (const name of ['lower', 'view', 'planted']) mkdirSync(join(folder, name), { recursive: true });
  plantFiles(request, fromText(planted));
  const setup = setupOf(request, planted);
  const isOurs = isArranged(plan);
  // Programs that run at the same time only read, but two mounts must not share what they could write to.
  const placeOf = (seat: number) => (seat === 0 ? currentLayer(folder) : join(folder, `reader-${seat}`));
  const upperOf = (seat: number) => fromText(join(placeOf(seat), 'upper'));
  /** Those whose layer is arranged. A program whose isolation could not be set up was never started. */
  const arranged = new Set<number>();
  let renewals = 0;
  let remade: ReadonlySet<BytePath> = new Set();
  const askSeen = (paths: readonly BytePath[]) => askOverlay(paths, { checkout, folder, privilege });
  const inspect = (seat: number) => {
    const inspection = overlayChanges({ upper: upperOf(seat), lower }, askSeen);
    return { ...inspection, changes: inspection.changes.filter((change) => !isOurs(change)) };
  };
  const makeFirst = () => {
    makeOverlay(placeOf(0), checkout);
    carryFiles(request, upperOf(0));
  };
  makeFirst();
  return {
    seen: checkout,
    written: upperOf(0),
    mountFor(seat) {
      if (seat > 0) makeOverlay(placeOf(seat), checkout);
      // What programs may change is planted once, so that the next one finds what the last one made of it.
      const isPlanted = arranged.has(seat) && plan.locked.length === 0;
      return {
        by: placeOf(seat),
        as: 'overlay',
        setup: isPlanted ? withoutFiles(setup) : setup,
        onReady: () => void arranged.add(seat),
      };
    },
    renew() {
      renewals += 1;
      renameSync(placeOf(0), join(folder, `old-${renewals}`));
      makeFirst();
      arranged.delete(0);
    },
    changes() {
      const inspection = inspect(0);
      remade = inspection.remade;
      return inspection.changes;
    },
    tampering: () =>
      [...arranged].flatMap((seat) => [
        ...findTampering(plan, upperOf(seat)),
        ...(seat === 0 ? [] : inspect(seat).changes).map(({ path }) => ({
          path: toText(path),
          reason: 'it was written by a program that may only read',
        })),
      ]),
    view: overlayView({ upper: upperOf(0), lower }, () => remade),
    watch: () => () => [],
    close() {
      removeLayer(folder, privilege);
    },
  };
}

interface OverlayFolders {
  upper: BytePath;
  lower: BytePath;
}

/**
 * Says for each of these paths whether it is visible through the overlay. They exist in the lower folder and were not
 * written. Only a mounted overlay can answer this.
 */
type AskSeen = (paths: readonly BytePath[]) => boolean[];

interface OverlayInspection {
  changes: LayerChange[];
  /** Folders that hide the folder of the same name in the checkout. */
  remade: ReadonlySet<BytePath>;
}

/**
 * Finds the changes in an overlay. Only what was written is read, so the effort depends on the size of the change and
 * not on the size of the checkout. The written files do not show one thing: whether a folder was removed and created
 * again, which hides everything under it. So for each folder that is on both sides, the overlay is asked about one
 * path that only the lower side has.
 */
function overlayChanges({ upper, lower }: OverlayFolders, askSeen: AskSeen): OverlayInspection {
  const changes: LayerChange[] = [];
  const inBoth: { folder: BytePath; unwritten: BytePath[] }[] = [];
  const removeBelow = (path: BytePath) => {
    for (const file of filesBelow(lower, path))
      changes.push({ path: file, before: asFile(entryAt(joinBytes(lower, file))), after: ABSENT });
  };
  const addChange = (path: BytePath, before: FileState, after: FileState) => {
    if (!isSameState(joinBytes(upper, path), joinBytes(lower, path), { before, after }))
      changes.push({ path, before, after });
  };
  const pending = [{ folder: '', hasLower: true }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { folder, hasLower } = next;
    const names = namesIn(joinBytes(upper, folder), 'force');
    for (const name of names) {
      const path = joinBytes(folder, name);
      const written = entryAt(joinBytes(upper, path));
      // Below a link or a file of the checkout there is nothing, whatever the system finds behind the link.
      const former = hasLower ? entryAt(joinBytes(lower, path)) : ABSENT;
      if (former.kind === 'folder' && written.kind !== 'folder') removeBelow(path);
      if (written.kind === 'folder') pending.push({ folder: path, hasLower: former.kind === 'folder' });
      if (former.kind === 'folder' && written.kind === 'folder') continue;
      addChange(path, asFile(former), asFile(written));
    }
    if (hasLower && folder !== '') {
      const here = new Set(names);
      const unwritten = namesIn(joinBytes(lower, folder))
        .filter((name) => !here.has(name))
        .map((name) => joinBytes(folder, name));
      if (unwritten.length > 0) inBoth.push({ folder, unwritten });
    }
  }
  const seen = inBoth.length === 0 ? [] : askSeen(inBoth.map(({ unwritten }) => unwritten[0] ?? ''));
  const remade = inBoth.filter((_, index) => seen[index] === false);
  for (const { unwritten } of remade) unwritten.forEach(removeBelow);
  return { changes, remade: new Set(remade.map(({ folder }) => folder)) };
}

/** Mounts the layer again, read-only, and tests which of these paths exist. */
function askOverlay(
  paths: readonly BytePath[],
  { checkout, folder, privilege }: { checkout: string; folder: string; privilege: PrivilegeSource },
): boolean[] {
  const script = [
    'set -eu',
    `cd ${shellQuote(fromText(folder))}`,
    `${MOUNT} --bind ${shellQuote(fromText(checkout))} lower`,
    `${MOUNT} -t overlay -o ro,${overlayAttributes(privilege === 'user-namespace')}lowerdir=current/upper:lower overlay view`,
    'cd view',
    `for path in ${paths.map((path) => shellQuote(`./${path}`)).join(' ')}; do`,
    'if [ -e "$path" ] || [ -L "$path" ]; then echo yes; else echo no; fi',
    'done',
  ].join('\n');
  const sent = Buffer.from(sendScript(script, 'latin1'), 'latin1');
  const run = runWithMounts(privilege, ['-c', RUN_SENT_SCRIPT, 'inspection'], sent);
  const answers = run.stdout.toString('utf8').split('\n').filter(Boolean);
  if (run.status !== 0 || answers.length !== paths.length) {
    const message = run.error?.message ?? run.stderr.toString('utf8').trim();
    throw new Error(`The layer could not be mounted for inspection: ${message || 'the command ended early'}`);
  }
  return answers.map((answer) => answer === 'yes');
}

/** What is visible through the layer. Everything behind a link is absent. */
function overlayView({ upper, lower }: OverlayFolders, remade: () => ReadonlySet<BytePath>): LayerView {
  const isWritten = (path: BytePath) => entryAt(joinBytes(upper, path)).kind !== 'absent';
  const entry = (path: BytePath): LayerEntry => {
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
