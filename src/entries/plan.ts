import { runEntry } from '../core/entry.js';
import { planChange } from '../plan/plan-change.js';

void runEntry({ failed: 'The change could not be split into shards', run: planChange });
