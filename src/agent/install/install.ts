import * as core from '@actions/core';
import * as cache from '@actions/tool-cache';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RunFailure } from '../../failure.js';
import { planInstall, type InstallPlan, type InstallRequest } from './plan.js';
import { platformOf, type Platform } from './platform.js';

export interface InstalledCli {
  path: string;
  version: string;
}

/** Downloads the pinned build, verifies it, unpacks it into `folder` and finds the program in it. */
export async function installCursor(request: InstallRequest, folder: string): Promise<InstalledCli> {
  const platform = platformOf(process.platform, process.arch);
  const plan = planInstall(request, platform);
  const archive = await download(plan, join(folder, `archive.${platform.ext}`));
  try {
    await verify(plan, archive);
    const unpacked = await unpack(archive, join(folder, 'cli'), platform);
    return { path: findProgram(unpacked, platform, plan), version: plan.version };
  } finally {
    await rm(archive, { force: true });
  }
}

async function download(plan: InstallPlan, target: string): Promise<string> {
  core.info(`Downloading Cursor CLI ${plan.version} from ${plan.url}`);
  try {
    return await cache.downloadTool(plan.url, target);
  } catch (error) {
    await rm(target, { force: true });
    throw new RunFailure(
      'install-failed',
      `Cursor CLI ${plan.version} could not be downloaded from ${plan.url}: ${messageOf(error)}.`,
      { cause: error },
    );
  }
}

async function verify(plan: InstallPlan, archive: string): Promise<void> {
  const actual = await sha256Of(archive);
  if (!plan.expected) {
    core.warning(
      `The sha256 of Cursor CLI ${plan.version} is not known to this action, so the download could not be verified. ` +
        `It is ${actual}; set cli-sha256 to it once you have confirmed it elsewhere.`,
    );
    return;
  }
  if (actual !== plan.expected.sha256) {
    throw new RunFailure(
      'checksum-mismatch',
      `${plan.url} has sha256 ${actual}, expected was ${plan.expected.sha256}.`,
    );
  }
  core.info(`Verified: sha256 ${actual}`);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function unpack(archive: string, folder: string, platform: Platform): Promise<string> {
  try {
    return platform.ext === 'zip'
      ? await cache.extractZip(archive, folder)
      : await cache.extractTar(archive, folder);
  } catch (error) {
    throw new RunFailure('install-failed', `The CLI’s archive could not be unpacked: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** The archive has one top folder; some old builds had none. */
function findProgram(folder: string, platform: Platform, plan: InstallPlan): string {
  const places = [join(folder, 'dist-package', platform.program), join(folder, platform.program)];
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new RunFailure(
    'install-failed',
    `The archive of Cursor CLI ${plan.version} holds no ${platform.program}.`,
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
