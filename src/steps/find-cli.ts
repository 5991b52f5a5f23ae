import { realpathSync } from 'node:fs';
import type { Places } from './input-files.js';
import type { Inputs } from '../inputs.js';
import { info, warning } from '../runner.js';

export interface Cli {
  path: string;
  /** Missing where a CLI of the user's own does not tell. */
  version?: string;
}

/** The CLI that was named, or one that is installed now. */
export async function findCli(inputs: Inputs, places: Places, folder: string): Promise<Cli> {
  if (places.cliPath !== undefined) {
    const unused = [
      inputs.cliVersion && 'cli-version',
      inputs.cliSha256 && 'cli-sha256',
      inputs.cliDownloadUrl && 'cli-download-url',
    ];
    for (const name of unused) if (name) warning(`${name} is not used, because cli-path is given.`);
    info(`Using the CLI at ${places.cliPath}`);
    return ownCli(places.cliPath);
  }
  // Loaded only here: a run with a CLI of its own needs none of it.
  const [{ installCli }, { realInstallIo }] = await Promise.all([
    import('../agent/install/install.js'),
    import('../agent/install/install-io.js'),
  ]);
  const request = {
    agent: inputs.agent,
    version: inputs.cliVersion,
    sha256: inputs.cliSha256,
    downloadUrl: inputs.cliDownloadUrl,
    cache: inputs.cliCache,
  };
  return installCli(request, folder, realInstallIo(process.env));
}

/** The vendor's installer keeps each build in a folder named after it; anything else does not tell its version. */
function ownCli(path: string): Cli {
  const version = /\/versions\/(\d{4}\.\d{2}\.\d{2}[^/]*)\//.exec(
    realpathSync(path).replaceAll('\\', '/'),
  )?.[1];
  return version === undefined ? { path } : { path, version };
}
