import type { Dialect } from '../events.js';
import { clido } from './clido.js';
import { cursor } from './cursor.js';
import { payload } from './payload.js';

/**
 * Every dialect, the most specific first: Cursor's accepts any `result`, so dialects that mark theirs are tried before
 * it. All are tried on each record, so a mixed stream is read, too.
 */
export const DIALECTS: readonly Dialect[] = [payload, clido, cursor];
