import { expect, it } from '@jest/globals';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPolicy } from '../../src/permissions/policy.js';
import type { Task } from '../../src/run/define-task.js';
import { openWork } from '../../src/run/open-work.js';
import { openRunFolder } from '../../src/run/run-folder.js';
import { beginRun } from '../../src/run/run-state.js';
import { scratchFolder } from '../sandbox/layer/scratch-repository.js';

it('gives the run its sandbox before anything else can fail, so that it is closed', () => {
  const workspace = scratchFolder();
  writeFileSync(join(workspace, 'README.md'), '# Readme\n');
  const runFolder = openRunFolder(scratchFolder());
  mkdirSync(runFolder.context);
  const task = {
    inputs: {
      agent: 'cursor',
      isolation: 'off',
      network: 'off',
      passEnv: [],
      allowedHosts: [],
      extraArgs: [],
      verify: {},
    },
    resolved: { directory: workspace, workspace },
    policy: buildPolicy({ preset: 'review', allow: [], deny: [] }),
    ...{ runFolder, hasHook: false, rules: { choice: 'none' }, context: { contexts: [] } },
    ...{ commands: { kind: 'none', why: '' }, plan: { validates: 'none', maxStarts: 1 } },
    invocation: { env: { PATH: process.env['PATH'] }, cancel: new AbortController().signal },
  } as unknown as Task;
  const parts = {
    cli: { path: '/bin/sh', version: '1' },
    machine: { kind: 'not-isolated', why: 'This is a test.' },
    signIn: () => Promise.resolve(undefined),
  } as const;
  const run = beginRun({});
  const broken = () => {
    throw new Error('No transcript.');
  };
  expect(() => openWork(run, { ...task, ...parts }, broken)).toThrow('No transcript.');
  const layer = join(runFolder.sandbox, 'layer');
  expect(existsSync(layer)).toBe(true);
  run.sandbox?.close();
  expect(existsSync(layer)).toBe(false);
});
