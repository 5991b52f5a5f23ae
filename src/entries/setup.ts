import { setUpCli } from '../run/setup-cli.js';

await setUpCli(process.env);
// A handle that something left open must not keep the step from ending.
setTimeout(() => process.exit(), 1000).unref();
