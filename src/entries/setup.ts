import { runEntry } from '../core/entry.js';
import { setUpCli } from '../run/setup-cli.js';

void runEntry({ failed: 'The CLI could not be set up', run: setUpCli });
