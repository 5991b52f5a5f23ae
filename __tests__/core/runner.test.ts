import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as core from '@actions/core';
import { appendSummary, error, getInput, setOutput, summarySize, warning } from '../../src/core/runner.js';
import { parseFileCommand } from '../../src/try/terminal.js';
import { makeFolder, removeFolders } from '../scenarios/workspace.js';

const before = { ...process.env };
beforeEach(() => {
  const folder = makeFolder();
  for (const name of ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY']) {
    process.env[name] = join(folder, name);
    writeFileSync(join(folder, name), '');
  }
});
afterEach(() => {
  process.env = { ...before };
  removeFolders();
});

describe('the runner', () => {
  it('hands over inputs as @actions/core reads them', () => {
    Object.assign(process.env, { 'INPUT_API-KEY': ' key ', INPUT_PROMPT: 'a\n b\n' });
    for (const name of ['api-key', 'prompt', 'absent']) expect(getInput(name)).toBe(core.getInput(name));
  });

  it('takes outputs that hold anything', () => {
    const hostile = 'a\nb=c\nname<<E\nx\nE\n';
    setOutput('name', hostile);
    setOutput('next', '');
    const written = readFileSync(process.env['GITHUB_OUTPUT']!, 'utf8');
    expect([...parseFileCommand(written)]).toEqual([
      ['name', hostile],
      ['next', ''],
    ]);
  });

  it('shows no backticks in annotations, which are no Markdown', () => {
    const lines: string[] = [];
    const write = jest
      .spyOn(process.stdout, 'write')
      .mockImplementation((line) => lines.push(String(line)) > 0);
    error('Raise `timeout-minutes`.', 'Cursor Agent: timeout');
    warning('One ` alone stays.');
    warning('A ```fence``` too.');
    write.mockRestore();
    expect(lines.map((line) => line.trim())).toEqual([
      '::error title=Cursor Agent%3A timeout::Raise timeout-minutes.',
      '::warning::One ` alone stays.',
      '::warning::A ```fence``` too.',
    ]);
  });

  it('knows how much of the summary is written', () => {
    expect(summarySize()).toBe(0);
    appendSummary('é');
    expect(summarySize()).toBe(2);
    delete process.env['GITHUB_STEP_SUMMARY'];
    expect(summarySize()).toBeUndefined();
  });
});
