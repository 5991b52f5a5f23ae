import { runEntry } from '../core/entry.js';
import { runAgent } from '../run/run-agent.js';

void runEntry({ failed: 'The agent could not be run', run: runAgent });
