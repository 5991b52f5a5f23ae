import { tryAction } from '../try/try-action.js';

process.exitCode = await tryAction(process.argv.slice(2));
