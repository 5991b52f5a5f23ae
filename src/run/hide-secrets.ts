import { createRedaction } from '../text/redact.js';
import type { Run } from './run.js';
import { setSecret } from '../core/runner.js';
import { masksFor } from './secrets.js';

/** From here on the runner masks these too, and they are taken out of everything that is told. */
export function hideSecrets(run: Run, secrets: readonly string[]): void {
  masksFor(secrets).forEach(setSecret);
  run.secrets = [...run.secrets, ...secrets];
  run.redaction = createRedaction(run.secrets);
}
