import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import { installCli, realInstallIo, type InstalledCli } from '../install/install.js';
import type { InstallRequest } from '../install/release.js';
import { InputSchema, REMOVED_INPUTS, schemaProblem, wrongVersion } from './inputs.js';
import { unlessCancelled } from '../core/entry.js';
import { checkInputNames, invalidInput, readRaw } from '../core/input-shapes.js';
import { addPath, info, setOutput } from '../core/runner.js';

const SetupSchema = z.pick(InputSchema, {
  agent: true,
  'cli-version': true,
  'cli-sha256': true,
  'cli-download-url': true,
});

/** The setup step: inputs, install, PATH, outputs. */
export async function setUpCli(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const request = readRequest();
  // The CLI stays here for the rest of the job. The folder is new, so nothing can be planted in it.
  const root = mkdtempSync(join(env['RUNNER_TEMP'] || tmpdir(), 'cursor-agent-setup-'));
  const cli = await unlessCancelled(installCli(request, join(root, 'install'), realInstallIo(env)), cancel);
  if (request.agent === 'cursor') stopUpdates(env);
  addPath(linkProgram(cli, join(root, 'bin')));
  setOutput('cli-path', cli.path);
  setOutput('cli-version', cli.version);
  setOutput('cache-hit', String(cli.source !== 'download'));
  info(`${basename(cli.path)} ${cli.version} is on PATH for the steps that follow.`);
}

function readRequest(): InstallRequest {
  const names = Object.keys(SetupSchema.shape) as (keyof typeof SetupSchema.shape)[];
  const raw = readRaw(names);
  const parsed = SetupSchema.safeParse(raw);
  const version = wrongVersion(raw);
  const removed = { 'cli-cache': REMOVED_INPUTS['cli-cache'] };
  const problems = [
    ...checkInputNames(names, process.env, removed),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => schemaProblem(issue, raw))),
    ...(version === undefined ? [] : [{ input: 'cli-version', message: version }]),
  ];
  if (!parsed.success || problems.length > 0) throw invalidInput(problems);
  return {
    agent: parsed.data.agent,
    version: parsed.data['cli-version'],
    sha256: parsed.data['cli-sha256'],
    downloadUrl: parsed.data['cli-download-url'],
  };
}

/**
 * Creates a folder that contains only the program. The CLI's own folder also contains its `node`, which must
 * not come first on PATH. The launcher finds its folder through the link.
 */
function linkProgram(cli: InstalledCli, bin: string): string {
  mkdirSync(bin, { recursive: true });
  const target = join(bin, basename(cli.path));
  rmSync(target, { force: true });
  // On Windows few users may create links, so a batch file is used instead.
  if (process.platform === 'win32') writeFileSync(target, `@"${cli.path}" %*\r\n`);
  else symlinkSync(cli.path, target);
  return bin;
}

/**
 * The CLI updates itself in the background unless its configuration says otherwise. If there is no configuration
 * yet, this writes one that stops updates. An existing one is not changed.
 */
function stopUpdates(env: NodeJS.ProcessEnv): void {
  const folder =
    env['CURSOR_CONFIG_DIR'] ||
    (env['XDG_CONFIG_HOME'] ? join(env['XDG_CONFIG_HOME'], 'cursor') : join(homedir(), '.cursor'));
  const file = join(folder, 'cli-config.json');
  if (existsSync(file)) {
    info(`${file} is left as it is; with "channel": "static" in it the CLI does not update itself.`);
    return;
  }
  mkdirSync(folder, { recursive: true });
  const config = {
    version: 1,
    editor: { vimMode: false },
    permissions: { allow: [], deny: [] },
    channel: 'static',
  };
  writeFileSync(file, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
}
