import { planChange } from '../plan/plan-change.js';

const cancel = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    cancel.abort();
  });
}

await planChange(process.env, cancel.signal);
