import { runEntry } from '../core/entry.js';
import { messageOf } from '../core/errors.js';
import { tryAction } from '../try/try-action.js';

void runEntry({
  failed: 'The action could not be tried',
  run: (_env, cancel) => tryAction(process.argv.slice(2), cancel),
  // This runs in a terminal, where annotations are not shown.
  show: (error) => process.stderr.write(`${messageOf(error)}\n`),
});
