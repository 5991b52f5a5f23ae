import { publishReport } from '../publish/publish-report.js';

await publishReport(process.env, new AbortController().signal);
// A handle that something left open must not keep the step from ending.
setTimeout(() => process.exit(), 1000).unref();
