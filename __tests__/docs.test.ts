import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { readFolderImports, withGraph } from '../scripts/graph.mjs';
import { DIALECTS } from '../src/stream/read-stream.js';

const PAGES = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', '.github/pull_request_template.md'],
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const read = (path: string) => readFileSync(path, 'utf8');
const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
const outputs = Object.keys((parse(read('action.yml')) as { outputs: object }).outputs);

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, first = '']) => first);
const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchor that GitHub gives a heading: lower case, without punctuation, with dashes for spaces. */
const anchorOf = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
const anchors = (path: string) =>
  found(read(path).replace(/^```[\s\S]*?^```/gm, ''), /^#+ (.+)$/gm).map(anchorOf);

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  it('has links that lead somewhere', () => {
    const bare = withoutCode(text);
    const targets = [...found(bare, /\]\(([^)\s]+)\)/g), ...found(bare, /^\[[^\]]+\]: (\S+)$/gm)];
    const lost = targets
      .filter((target) => !target.startsWith('https://'))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? page : join(dirname(page), file);
        return !existsSync(path) || (anchor !== undefined && !anchors(path).includes(anchor));
      });
    expect(lost).toEqual([]);
  });

  it('names files, folders and commands that are there', () => {
    const files = found(
      text,
      /`((?:\.github|__tests__|dist|docs|examples|fixtures|scripts|src)\/[\w./-]+)`/g,
    );
    // The README asks its reader to write this file.
    const asked = '.github/workflows/review.yml';
    expect(files.filter((path) => path !== asked && !existsSync(path))).toEqual([]);
    expect(found(text, /npm run ([\w:-]+)/g).filter((name) => !scripts.includes(name))).toEqual([]);
  });

  it('has no blank line inside a table, which would end it', () => {
    const lines = text.replace(/^```[\s\S]*?^```/gm, '').split('\n');
    const firstRows = lines.filter(
      (line, index) =>
        line.startsWith('|') &&
        !lines[index - 1]?.startsWith('|') &&
        !/^\|[ |:-]+$/.test(lines[index + 1] ?? ''),
    );
    expect(firstRows).toEqual([]);
  });

  it('counts the outputs and the dialects right', () => {
    const claimed = [...found(text, /(\d+) outputs/g), ...found(text, /^\| outputs +\| (\d+), see/gm)];
    expect(claimed.filter((count) => count !== String(outputs.length))).toEqual([]);
    const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];
    const dialects = found(text, /(\w+) dialects/g).filter((word) => words.includes(word));
    expect(dialects.filter((word) => word !== words[DIALECTS.length])).toEqual([]);
  });
});

describe('the threat model', () => {
  const rows = read('docs/threat-model.md')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  const tests = readdirSync('__tests__', { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts'));

  it('names for each row a test that is there', () => {
    expect(rows.length).toBeGreaterThan(40);
    const lost = rows.flatMap(([, number = '', , , named = '']) => {
      const names = found(named, /`([a-z]+[a-z/*-]*)`/g);
      const missing = names.filter((name) =>
        name.endsWith('/*')
          ? !tests.some((path) => path.startsWith(name.slice(0, -1)))
          : !tests.includes(`${name}.test.ts`),
      );
      return names.length === 0 ? [`${number}: no test`] : missing.map((name) => `${number}: ${name}`);
    });
    expect(lost).toEqual([]);
  });
});

describe('the architecture', () => {
  const document = read('docs/architecture.md');
  const imports = readFolderImports('src');

  it('has a row for every folder of the sources', () => {
    const rows = found(document, /^\| `src\/([a-z]+)\/`/gm);
    expect(rows.sort()).toEqual(Object.keys(imports).sort());
  });

  it('draws the imports between them as they are (npm run docs draws them)', () => {
    expect(document).toContain('<!-- imports -->\n\n```mermaid\nflowchart TD\n');
    expect(withGraph(document, imports)).toBe(document);
  });

  it('draws an import unless a chain of others leads to the same folder', () => {
    const chain = { a: ['b', 'c'], b: ['c'], c: [] };
    expect(withGraph('<!-- imports -->\n<!-- /imports -->', chain)).toBe(
      '<!-- imports -->\n\n```mermaid\nflowchart TD\n  a --> b\n  b --> c\n```\n\n<!-- /imports -->',
    );
  });
});
