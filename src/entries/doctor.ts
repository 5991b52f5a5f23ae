import { runEntry } from '../core/entry.js';
import { runDoctor } from '../doctor/run-doctor.js';

void runEntry({ failed: 'The doctor could not finish', run: runDoctor });
