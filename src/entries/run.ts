import { runEntry } from '../core/entry.js';
import { runAgent } from '../run/run-agent.js';

await runEntry({ failed: 'The agent could not be run', run: runAgent });
