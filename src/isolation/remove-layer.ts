import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { asRoot, namespaceCommand, type How } from './isolate.js';
import { SYSTEM_PATH } from './script.js';

const PATIENCE_MS = 60_000;

/**
 * Removes a layer. It can contain files of root, paths that are too long for Node, and folders that are closed to us. If
 * something remains, the runner removes it with its temporary folder, so no run fails because of it.
 */
export function removeLayer(folder: string, how?: How): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    const remove = ['sh', '-c', 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"', 'removal', folder];
    const [file = '', ...args] = [
      ...(how === undefined ? [] : [...asRoot(how), ...namespaceCommand(how, [])]),
      ...remove,
    ];
    spawnSync(file, args, { cwd: '/', env: { PATH: SYSTEM_PATH }, stdio: 'ignore', timeout: PATIENCE_MS });
  }
}
