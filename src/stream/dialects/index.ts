import type { Dialect } from '../events.js';
import { clido } from './clido.js';
import { cursor } from './cursor.js';
import { payload } from './payload.js';

/**
 * Every dialect, the pickier before the more general: Cursor's takes any `result` for its own, so those that
 * know theirs by a mark are asked first. All are tried on each record, so that a mixed stream is read too.
 */
export const DIALECTS: readonly Dialect[] = [payload, clido, cursor];
