// Records again what each stream in fixtures/streams gives. Review the difference before you commit it: the tests only
// compare with what is recorded.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const args = ['--experimental-vm-modules', '--no-warnings', jest, '__tests__/stream/fixtures.test.ts'];
const env = { ...process.env, UPDATE_FIXTURES: '1' };
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status ?? 1);
