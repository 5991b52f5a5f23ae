import type { ProcessSpec } from '../agent/process.js';
import type { BytePath } from '../git/paths.js';
import type { LayerPlan } from './layer-plan.js';

/** What every kind of layer is made from. */
export interface LayerRequest {
  /** The top of the checkout. */
  checkout: string;
  /** A folder of the run, for the layer only. */
  folder: string;
  plan: LayerPlan;
  /** Whether the agent may write at all. */
  access: 'read' | 'write';
  /** The action's files in the layer. The agent reads them and must not change them. */
  locked: readonly string[];
}

/**
 * What the agent works on: a layer over the checkout. In the layer the agent reads the checkout without the files that
 * are set aside and with the files that are planted. Everything it writes stays in the layer. The checkout itself
 * does not change.
 */
export interface Workspace {
  /** Where the agent finds the top of the checkout. */
  seen: string;
  /** The folder that contains every file the agent has written, by its path from the top. */
  written: BytePath;
  /** Changes a command so that it works on the layer. */
  enter(spec: ProcessSpec): ProcessSpec;
  /** Discards what was written, so that another attempt starts from the checkout. */
  renew(): void;
  /** What differs from the checkout. */
  changes(): LayerChange[];
  /** Changes of files that the agent must not touch: the planted ones, and git's own. */
  tampering(): Violation[];
  /** The layer as the agent left it. Call `changes` first. Paths start at the top. */
  view: LayerView;
  /** Opens a throw-away version of the layer as it is now. */
  openScratch(): Scratch;
  /** Removes the layer. */
  close(): void;
}

/** The layer as the agent left it, for commands of which nothing is kept: what they write does not get into the layer. */
export interface Scratch {
  /** Where a command finds the top of the checkout. */
  seen: string;
  enter(spec: ProcessSpec): ProcessSpec;
  /** Paths that were changed outside of it meanwhile, in the layer or in the checkout. Isolation makes that impossible. */
  intrusions(): string[];
}

export interface LayerView {
  /** Absent for a path behind a link, because the caller follows links itself. */
  entryAt(path: BytePath): Entry;
  /** The target of a link, as it is written in the link. */
  linkAt(path: BytePath): BytePath;
  namesIn(folder: BytePath): BytePath[];
}

/** What is at a path. A folder counts as absent, because git does not store folders. */
export type FileState =
  | { kind: 'absent' }
  /** `privileged`: it runs with the rights of its owner or group. */
  | { kind: 'file'; executable: boolean; privileged: boolean; bytes: number }
  | { kind: 'link' }
  /** A pipe, a socket or a device. */
  | { kind: 'special' };

/** What the file system has at a path. A whiteout is the overlay's record of a removed file. */
export type Entry = FileState | { kind: 'folder' } | { kind: 'whiteout' };

/** One path that differs between the layer and the checkout. Paths start at the top of the checkout. */
export interface LayerChange {
  path: BytePath;
  before: FileState;
  after: FileState;
}

/** A change that is not allowed. The reason completes "<path>: …". */
export interface Violation {
  path: string;
  reason: string;
  /** The path of the change, if the violation is about one. */
  change?: BytePath;
}
