/**
 * Installs the CLI from an archive of 180 MB. A download from loopback (hashed, verified, every entry checked, unpacked,
 * stored in the tool cache) is compared with `curl | tar xz`, which only unpacks. A hit in the tool cache (copied,
 * hashed, verified, unpacked) is compared with `tar xz` of the same archive on disk. Each runs in its own process, and
 * they take turns.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installCli, realInstallIo } from '../src/install/install.js';

const VERSION = '2030.01.02-abcdef0';
const ROUNDS = 5;
const MOST = { download: 1.25, hit: 1.25 };

if (process.argv[2] === '--install') {
  const [, , , url = '', sha256 = '', root = '', wanted = ''] = process.argv;
  const io = {
    ...realInstallIo({ ...process.env, RUNNER_TOOL_CACHE: join(root, 'tools') }),
    info: () => undefined,
  };
  const request = { agent: 'cursor' as const, version: VERSION, sha256, downloadUrl: url };
  const { source } = await installCli(request, join(root, 'scratch'), io);
  if (source !== wanted) throw new Error(`The CLI came from ${source}, not from ${wanted}.`);
} else {
  process.exitCode = await measure();
}

async function measure(): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'bench-install-'));
  try {
    const archive = pack(root);
    const bytes = statSync(archive).size;
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': bytes });
      createReadStream(archive, { highWaterMark: 1024 * 1024 }).pipe(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    console.log(`archive: ${(bytes / 1e6).toFixed(0)} MB`);

    const [ours, theirs] = [join(root, 'ours'), join(root, 'theirs')];
    const install = (source: string) =>
      run(process.execPath, [process.argv[1] ?? '', '--install', url, sha256, ours, source]);
    const unpackWith = (command: string) => {
      mkdirSync(theirs);
      return run('sh', ['-c', `${command} -C ${theirs}`]);
    };
    const times = {
      download: [] as number[],
      curl: [] as number[],
      hit: [] as number[],
      tar: [] as number[],
    };
    // Called before each measurement, because files that are not yet on disk would slow the next one down.
    const clear = (...folders: string[]) => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      clear(ours, theirs);
      times.curl.push(await unpackWith(`curl -fsSL ${url}/x | tar xz`));
      clear(theirs);
      times.download.push(await install('download'));
      clear(join(ours, 'scratch'));
      times.tar.push(await unpackWith(`tar xzf ${archive}`));
      clear(theirs);
      times.hit.push(await install('tool-cache'));
    }
    server.close();
    const isGood = [
      tell('download / curl | tar xz', [times.download, times.curl], MOST.download),
      tell('tool-cache hit / tar xzf', [times.hit, times.tar], MOST.hit),
    ];
    return isGood.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Packs what the vendor packs: a launcher, Node, native modules that hardly compress, scripts, small files. */
function pack(root: string): string {
  const folder = join(root, 'dist-package');
  mkdirSync(join(folder, 'parts'), { recursive: true });
  writeFileSync(join(folder, 'cursor-agent'), `#!/bin/sh\necho ${VERSION}\n`, { mode: 0o755 });
  copyFileSync(process.execPath, join(folder, 'node'));
  writeFileSync(join(folder, 'native.node'), randomBytes(95_000_000));
  const words = Array.from({ length: 4096 }, () =>
    randomBytes(4)
      .toString('hex')
      .slice(0, 3 + Math.random() * 5),
  );
  const text = Array.from({ length: 700_000 }, () => words[Math.floor(Math.random() * words.length)]).join(
    ' ',
  );
  writeFileSync(join(folder, 'index.js'), text.repeat(24));
  for (let index = 0; index < 800; index += 1) {
    writeFileSync(join(folder, 'parts', `${index}.js`), text.slice(index * 1000, index * 1000 + 6000));
  }
  const archive = join(root, 'archive.tar.gz');
  execFileSync('tar', ['czf', archive, '-C', root, 'dist-package']);
  rmSync(folder, { recursive: true });
  return archive;
}

async function run(file: string, args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}.`);
  return performance.now() - started;
}

/**
 * Compares the fastest round of each side, because other load on the machine can only add time, and it adds a different
 * time in every round. The medians are shown for information.
 */
function tell(name: string, [ours, base]: readonly [number[], number[]], most: number): boolean {
  const ratio = Math.min(...ours) / Math.min(...base);
  const mark = ratio <= most ? 'ok' : 'MISSED';
  const detail = `${Math.min(...ours).toFixed(0)} ms / ${Math.min(...base).toFixed(0)} ms`;
  const medians = `by medians ${(median(ours) / median(base)).toFixed(2)} ×`;
  console.log(`${name}: ${ratio.toFixed(2)} × (${detail}; ${medians}), at most ${most}: ${mark}`);
  return ratio <= most;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
