import type { BytePath } from '../git/byte-path.js';

/** What stands at a path; a folder counts as nothing, because git keeps none. */
export type FileState =
  | { kind: 'absent' }
  /** `privileged`: it runs with the rights of its owner or group. */
  | { kind: 'file'; executable: boolean; privileged: boolean; bytes: number }
  | { kind: 'link' }
  /** A pipe, a socket or a device. */
  | { kind: 'special' };

/** One path that is not the same in the layer as in the checkout; paths start at the top of the checkout. */
export interface LayerChange {
  path: BytePath;
  before: FileState;
  after: FileState;
}

/** Something that was changed and may not be; the reason completes "<path>: …". */
export interface Violation {
  path: string;
  reason: string;
  /** The change it is about, where there is one. */
  change?: BytePath;
}
