import { runEntry } from '../core/entry.js';
import { setUpCli } from '../run/setup-cli.js';

await runEntry({ failed: 'The CLI could not be set up', run: setUpCli });
