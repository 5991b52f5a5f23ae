import { runAgent } from '../run/run-agent.js';

const cancel = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    cancel.abort();
  });
}

await runAgent(process.env, cancel.signal);
// A handle that something left open must not keep the step from ending.
setTimeout(() => process.exit(), 1000).unref();
