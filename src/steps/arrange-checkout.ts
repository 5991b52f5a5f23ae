import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findConfig } from '../agent/checkout-config.js';
import { arrangeConfig, chooseRules, type RulesChoice, type RulesRequest } from '../agent/project-rules.js';
import { arrangeWorkspace, type Quarantine } from '../agent/quarantine.js';
import { readBaseRules } from './base-rules.js';
import type { HistoryRequest } from '../context/history.js';
import type { Places } from './input-files.js';
import type { Inputs } from '../inputs.js';

export interface CheckoutRequest {
  places: Places;
  /** Our own files, by their path in the working directory. */
  own: Readonly<Record<string, string>>;
  holding: string;
  choice: RulesChoice;
  /** The rules of the base commit, where those are chosen. */
  base: RulesRequest['base'];
}

/** Which project rules the agent is to see, with those of the base commit if they are meant. */
export async function findRules(
  setting: Inputs['projectRules'],
  history: HistoryRequest,
): Promise<Pick<CheckoutRequest, 'choice' | 'base'>> {
  const choice = chooseRules(setting, history.env['GITHUB_EVENT_NAME']);
  return { choice, base: choice === 'base' ? await readBaseRules(history) : undefined };
}

/** Takes from the checkout what could configure the CLI or run code in it, and puts our policy there. */
export function arrangeCheckout(request: CheckoutRequest): { quarantine: Quarantine; notes: string[] } {
  const { places, holding, choice, base } = request;
  const root = checkoutRoot(places);
  const prefix = relative(root, places.directory).replaceAll('\\', '/');
  const own = Object.fromEntries(
    Object.entries(request.own).map(([name, content]) => [
      prefix === '' ? name : `${prefix}/${name}`,
      content,
    ]),
  );
  const { note, ...arrangement } = arrangeConfig({ choice, found: findConfig(root).config, base, own });
  return {
    quarantine: arrangeWorkspace(arrangement, root, holding),
    notes: note === undefined ? [] : [note],
  };
}

/** The CLI reads its project files from the git root down, which may lie above the workspace. */
function checkoutRoot({ workspace, directory }: Places): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder.length < workspace.length ? folder : workspace;
    if (folder === dirname(folder)) return workspace;
  }
}
