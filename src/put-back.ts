import { endFamily } from './agent/process-family.js';
import { restoreFromJournal } from './agent/quarantine.js';
import { info, warning } from './runner.js';
import { recallForPost } from './steps/workplace.js';

/** From SIGTERM until SIGKILL for what a killed run left behind. */
const KILL_MS = 2000;

/**
 * The post step: ends what the agent has left running and puts the workspace back, if the run was killed
 * before it could. After a run that ended by itself there is nothing to do.
 */
export async function putBack(): Promise<void> {
  const workplace = recallForPost();
  if (!workplace) return;
  await endFamily({ home: workplace.home }, KILL_MS);
  const restoration = restoreFromJournal(workplace.holding);
  if (!restoration) return;
  info('The run was killed before it could put the workspace back; it is put back now.');
  for (const problem of [...restoration.tampered, ...restoration.failed]) warning(problem);
}
