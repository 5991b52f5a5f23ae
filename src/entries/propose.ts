import { runEntry } from '../core/entry.js';
import { proposePatch } from '../propose/propose-patch.js';

void runEntry({ failed: 'The change could not be proposed', run: proposePatch });
