import type { Finding } from '../report/findings.js';
import { createRedaction, redactAll, type Redact } from '../text/redact.js';
import type { Shard } from './publication.js';

/** Takes the token, and whatever looks like one, out of everything that could be shown. */
export function redactShards(shards: readonly Shard[], token: string): Shard[] {
  const { redact } = createRedaction(token === '' ? [] : [token]);
  return shards.map((shard): Shard => {
    if (shard.kind === 'silent') return redactAll(shard, redact);
    const { review, verdict, change, ...facts } = shard.run;
    return {
      kind: 'told',
      name: redact(shard.name),
      run: {
        ...redactAll(facts, redact),
        ...(change ? { change } : {}),
        verdict: verdict.status === 'failure' ? { ...verdict, detail: redact(verdict.detail) } : verdict,
        ...(review
          ? {
              review: {
                summary: redact(review.summary),
                findings: review.findings.map((finding) => redactFinding(finding, redact)),
              },
            }
          : {}),
      },
    };
  });
}

/** Code with a hole in it must not be offered for applying. */
function redactFinding({ suggestion, ...finding }: Finding, redact: Redact): Finding {
  const isWhole = suggestion !== undefined && redact(suggestion) === suggestion;
  return {
    ...finding,
    path: redact(finding.path),
    title: redact(finding.title),
    body: redact(finding.body),
    ...(isWhole ? { suggestion } : {}),
  };
}
