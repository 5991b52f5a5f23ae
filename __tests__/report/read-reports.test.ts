import { afterEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReports } from '../../src/report/read-reports.js';
import { reportWith } from '../publish/reports.js';

let folder = '';
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const make = (files: Record<string, string>) => {
  folder = mkdtempSync(join(tmpdir(), 'reports-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
};
const GOOD = JSON.stringify(reportWith());
const told = (named: string[]) => readReports(named).map(({ kind, name }) => `${kind} ${name}`);

describe('the reports that are read', () => {
  it('are every report*.json below a folder, by the names of their folders', () => {
    const root = make({ 'a/report.json': GOOD, 'b/report.json': 'x', 'b/other.json': GOOD, 'c/x.txt': '' });
    expect(told([root])).toEqual(['read a', 'unread b']);
    expect(told([join(root, 'a'), join(root, 'b'), join(root, 'a', 'report.json')])).toEqual([
      'read a',
      'unread b',
    ]);
  });

  it('are named apart where they lie together', () => {
    const root = make({ 'report-1.json': GOOD, 'report-2.json': GOOD });
    expect(told([root])).toEqual(['read report-1.json', 'read report-2.json']);
  });

  it('are no links, no pipes, and not too deep', () => {
    const root = make({ 'a/report.json': GOOD, 'x/1/2/3/4/5/6/report.json': GOOD });
    symlinkSync(join(root, 'a'), join(root, 'link'));
    symlinkSync('/etc/passwd', join(root, 'report-link.json'));
    execFileSync('mkfifo', [join(root, 'report-pipe.json')]);
    expect(told([root])).toEqual(['read report.json']);
    expect(told([join(root, 'report-pipe.json')])).toEqual(['unread report-pipe.json']);
    expect(told([join(root, 'a')])).toEqual(['read report.json']);
  });

  it('are bounded in number, and it is said', () => {
    const root = make(
      Object.fromEntries(Array.from({ length: 502 }, (_, index) => [`report-${index}.json`, 'x'])),
    );
    const shards = readReports([root]);
    expect(shards).toHaveLength(501);
    expect(shards.at(-1)).toMatchObject({ why: '2 reports beyond 500 were not read.' });
  });
});
