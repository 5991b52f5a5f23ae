import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findConfig } from './agent/checkout-config.js';
import { arrangeConfig, type RulesChoice, type RulesRequest } from './agent/project-rules.js';
import { arrangeWorkspace, type Quarantine } from './agent/quarantine.js';
import type { Places } from './input-files.js';

export interface CheckoutRequest {
  places: Places;
  choice: RulesChoice;
  base: RulesRequest['base'];
  /** Our own files, by their path in the working directory. */
  own: Readonly<Record<string, string>>;
  holding: string;
}

/** Takes from the checkout what could configure the CLI or run code in it, and puts our policy there. */
export function arrangeCheckout(request: CheckoutRequest): { quarantine: Quarantine; notes: string[] } {
  const { places, choice, base, holding } = request;
  const root = checkoutRoot(places);
  const prefix = relative(root, places.directory).replaceAll('\\', '/');
  const own = Object.fromEntries(
    Object.entries(request.own).map(([name, content]) => [
      prefix === '' ? name : `${prefix}/${name}`,
      content,
    ]),
  );
  const { note, ...arrangement } = arrangeConfig({ choice, found: findConfig(root), base, own });
  return {
    quarantine: arrangeWorkspace(arrangement, root, holding),
    notes: note === undefined ? [] : [note],
  };
}

/** The CLI reads its project files from the git root down, which may lie above the workspace. */
function checkoutRoot({ workspace, directory }: Places): string {
  let root = workspace;
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) {
      if (folder.length < root.length) root = folder;
      return root;
    }
    if (folder === dirname(folder)) return root;
  }
}
