import type { ProcessSpec } from '../agent/process.js';
import type { BytePath } from '../git/byte-path.js';
import type { LayerChange, Violation } from './changes.js';
import type { Entry } from './file-tree.js';

/**
 * What the agent works on: a layer over the checkout. It reads the checkout there, less what is set aside and with what
 * is planted; everything it writes stays there. The checkout itself does not change.
 */
export interface Workspace {
  /** Where the agent finds the top of the checkout. */
  seen: string;
  /** The folder that holds every file the agent has written, by its path from the top. */
  written: BytePath;
  /** The command as it is started, so that it works on the layer. */
  enter(spec: ProcessSpec): ProcessSpec;
  /** Throws away what was written, so that another try starts from the checkout. */
  renew(): void;
  /** What is not the same as in the checkout. */
  changes(): LayerChange[];
  /** What was done to files that are none of the agent's: those that were planted, and git's own. */
  tampering(): Violation[];
  /** The layer as the agent left it, once its changes were asked for; paths start at the top. */
  view: LayerView;
  /** Removes the layer. */
  close(): void;
}

export interface LayerView {
  /** Nothing for a path behind a link: whoever asks follows links by himself. */
  entryAt(path: BytePath): Entry;
  /** Where a link leads, as it says itself. */
  linkAt(path: BytePath): BytePath;
  namesIn(folder: BytePath): BytePath[];
}
