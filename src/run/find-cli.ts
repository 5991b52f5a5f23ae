import { realpathSync } from 'node:fs';
import { installCli, realInstallIo } from '../install/install.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import type { Inputs } from './inputs.js';
import { info, warning } from '../core/runner.js';

export interface Cli {
  path: string;
  /** Unknown for a CLI given by `cli-path` whose path does not contain it. */
  version?: string;
}

/** Returns the CLI that `cli-path` names, or installs one into `folder`. The CLI is not run to learn its version. */
export async function findCli(inputs: Inputs, resolved: ResolvedInputs, folder: string): Promise<Cli> {
  if (resolved.cliPath !== undefined) {
    const { cliVersion, cliSha256, cliDownloadUrl } = inputs;
    const others = { 'cli-version': cliVersion, 'cli-sha256': cliSha256, 'cli-download-url': cliDownloadUrl };
    for (const [name, value] of Object.entries(others))
      if (value) warning(`${name} is not used, because cli-path is given.`);
    info(`Using the CLI at ${resolved.cliPath}`);
    return ownCli(resolved.cliPath);
  }
  const request = {
    agent: inputs.agent,
    version: inputs.cliVersion,
    sha256: inputs.cliSha256,
    downloadUrl: inputs.cliDownloadUrl,
  };
  return installCli(request, folder, realInstallIo(process.env));
}

/** The vendor's installer keeps each build in a folder named after its version. Other paths do not contain one. */
function ownCli(path: string): Cli {
  const version = /\/versions\/(\d{4}\.\d{2}\.\d{2}[^/]*)\//.exec(
    realpathSync(path).replaceAll('\\', '/'),
  )?.[1];
  return version === undefined ? { path } : { path, version };
}
