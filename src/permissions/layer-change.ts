import type { BytePath } from '../git/paths.js';

/** What is at a path. A folder counts as absent, because git does not store folders. */
export type FileState =
  | { kind: 'absent' }
  /** `privileged`: it runs with the rights of its owner or group. */
  | { kind: 'file'; executable: boolean; privileged: boolean; bytes: number }
  | { kind: 'link' }
  /** A pipe, a socket or a device. */
  | { kind: 'special' };

/** What the file system has at a path. A whiteout is the overlay's record of a removed file. */
export type LayerEntry = FileState | { kind: 'folder' } | { kind: 'whiteout' };

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
  /** The change contains a secret that the run knows, so it is never applied. */
  isSecret?: true;
}

export interface LayerView {
  /** Absent for a path behind a link, because the caller follows links itself. */
  entryAt(path: BytePath): LayerEntry;
  /** The target of a link, as it is written in the link. */
  linkAt(path: BytePath): BytePath;
  namesIn(folder: BytePath): BytePath[];
}
