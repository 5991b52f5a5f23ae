import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { built, NODE, runStep } from './step.js';
import { makeFolder } from './workspace.js';

describe('what is loaded before the agent runs', () => {
  it('is the one file: GitHub’s client, the cache and the pages lie in others, which are not needed', async () => {
    const place = makeFolder('bare');
    for (const file of ['index.js', 'package.json']) cpSync(join(built('dist/run'), file), join(place, file));
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({ entry: join(place, 'index.js'), inputs: { 'cli-path': agent.path } });
    expect(agent.sightings()).toHaveLength(1);
    // A file that is missing afterwards costs what it would have written, and is said; then the run is no success.
    expect(step.outputs.get('result')).toBe('All is well.');
    expect(step.outputs.get('failure-reason')).toBe('internal');
    expect(step.errors.join('\n')).toMatch(/The report could not be written: Cannot find module/);
    expect(step.warnings.join('\n')).toMatch(/The job summary could not be written: Cannot find module/);
  });

  it('has no HTTP client in it', () => {
    const bundle = built('dist/run/index.js');
    for (const heavy of ['undici', 'octokit', '@actions/http-client/lib'])
      expect(readFileSync(bundle, 'utf8')).not.toContain(`node_modules/${heavy}`);
    const program = `
      process.on('exit', () => console.log(JSON.stringify(process.moduleLoadList.filter((m) => /NativeModule (http2|tls)$/.test(m)))));
      import(${JSON.stringify(bundle)});`;
    const { stdout } = spawnSync(NODE, ['-e', program], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], INPUT_PROMPT: '' },
    });
    expect(stdout).toContain('[]');
  });
});
