import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { asRoot, namespaceCommand, type How } from './isolate.js';

/** Far more than it takes. */
const PATIENCE_MS = 60_000;

/** Removes a folder that an overlay was made from: the kernel leaves files in there that only root can remove. */
export function removeLayer(folder: string, how: How): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    const [file, ...args] = [...asRoot(how), ...namespaceCommand(how, []), 'rm', '-rf', '--', folder];
    spawnSync(file, args, { cwd: '/', stdio: 'ignore', timeout: PATIENCE_MS });
  }
}
