import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { PagePatch } from '../../src/report/diff-view.js';
import { buildHtml } from '../../src/report/render-html.js';
import type { CheckedFinding, RunRecord } from '../../src/report/model.js';
import type { AgentEvent } from '../../src/stream/events.js';
import { call, recordOf, reportOf, result, text } from './builders.js';

/**
 * The HTML report in a real browser. Where there is none, the group says so and is left out: the page is one of
 * two places that need a browser, and no one should have to install it to change the rest.
 */
const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const hasBrowser = existsSync(BROWSER);
if (!hasBrowser) process.stderr.write(`The HTML report is not tested in a browser: ${BROWSER} is missing.\n`);

const HOSTILE = `</script><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

function runOf(count: number): RunRecord {
  const calls = Array.from({ length: count }, (_, index) =>
    call(String(index), {
      kind: index % 2 === 0 ? 'read' : 'shell',
      target: index === 7 ? HOSTILE : `src/file-${index}.ts`,
      state: index % 50 === 11 ? 'denied' : 'ok',
      facts: { output: index === 8 ? '@@ -1 +1 @@\n-old\n+new' : `output of ${index} ${'x'.repeat(300)}` },
    }),
  );
  return recordOf(reportOf(...calls, text(`**Done** ${HOSTILE}`), result()));
}

const LONG = 'a/very/long/path/without/any/blank/'.repeat(12);
const ORIGIN: NonNullable<RunRecord['origin']> = {
  startedAt: '2026-11-17T12:05:31.000Z',
  repository: `octo-org/${'long-name-'.repeat(9)}`,
  repositoryUrl: 'https://example.com/o/r',
  pullRequest: 7,
  commit: 'ffac537e6cbbf934b08745a378932722df287a53',
  runUrl: 'https://example.com/o/r/actions/runs/12/attempts/2',
};
const PATCH = `diff --git a/${LONG}x b/${LONG}x\n--- a/${LONG}x\n+++ b/${LONG}x\n@@ -1 +1 @@\n-old\n+${LONG}\n`;

const finding = (words: string): CheckedFinding => ({
  ...{ path: words, startLine: 1, endLine: 2, severity: 'high', title: words, body: words },
  ...{ suggestion: words, place: 'in-change', count: 1 },
});

/** A run that was ended at its time limit, while its last call was running. */
function failedRun(): RunRecord {
  const calls = Array.from({ length: 60 }, (_, index) =>
    call(String(index), { state: index === 5 ? 'failed' : 'ok', target: `npm run ${index}` }),
  );
  const running: AgentEvent = {
    type: 'tool-started',
    callId: 'last',
    tool: { name: 'shell', kind: 'shell', target: 'npm run forever', paths: [], isKnown: true },
  };
  return recordOf(reportOf(...calls, running), {
    verdict: { status: 'failure', reason: 'timeout', detail: 'It was ended at the time limit.' },
    exit: { kind: 'ended', why: 'timeout' },
  });
}

(hasBrowser ? describe : describe.skip)('the HTML report in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  const requests: string[] = [];

  interface Look {
    colorScheme?: 'light' | 'dark';
    width?: number;
    patches?: PagePatch[];
    hash?: string;
  }

  async function open(
    record: RunRecord,
    { colorScheme = 'light', width = 1280, patches = [], hash = '' }: Look = {},
  ): Promise<void> {
    const path = join(folder, 'report.html');
    writeFileSync(path, buildHtml(record, undefined, patches));
    page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${pathToFileURL(path).href}${hash}`);
  }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
    await open(runOf(20_000));
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('opens from a file, asks for nothing else and complains of nothing', async () => {
    expect(await page.textContent('h1')).toContain('done');
    expect(await page.textContent('#count')).toBe('20,000 calls');
    expect(errors).toEqual([]);
    expect(requests).toEqual([pathToFileURL(join(folder, 'report.html')).href]);
  });

  it('keeps hostile text as text', async () => {
    expect(await page.title()).toBe('Cursor agent: done');
    expect(await page.locator('img').count()).toBe(0);
    await page.fill('#search', 'onerror');
    await page.click('#calls [role=option]');
    expect(await page.textContent('#details pre')).toBe(HOSTILE);
    expect(await page.title()).toBe('Cursor agent: done');
    await page.fill('#search', '');
  });

  it('has only the rows one sees, wherever one scrolls', async () => {
    for (const place of [0, 300_000, 679_000]) {
      await page.locator('#calls').evaluate((list, top) => {
        (list as unknown as { scrollTop: number }).scrollTop = top;
      }, place);
      await page.waitForSelector(`[data-index="${Math.floor(place / 34) + 2}"]`);
      expect(await page.locator('#calls [role=option]').count()).toBeLessThan(60);
    }
  });

  it('finds by words, kinds and outcomes', async () => {
    await page.fill('#search', 'file-12345.ts');
    expect(await page.textContent('#count')).toBe('1 of 20,000 calls');
    await page.fill('#search', 'OUTPUT of 19777');
    expect(await page.textContent('#count')).toBe('1 of 20,000 calls');
    await page.fill('#search', '');
    await page.click('#states >> text=denied');
    expect(await page.textContent('#count')).toBe('400 of 20,000 calls');
    await page.click('#kinds >> text=read');
    expect(await page.textContent('#count')).toBe('0 of 20,000 calls');
    await page.click('#kinds >> text=read');
    await page.click('#states >> text=denied');
    expect(await page.textContent('#count')).toBe('20,000 calls');
  });

  it('is used with the keyboard, and tells it to screen readers', async () => {
    await page.focus('#calls');
    await page.keyboard.press('Home');
    for (let count = 0; count < 8; count += 1) await page.keyboard.press('ArrowDown');
    expect(await page.getAttribute('#calls', 'aria-activedescendant')).toBe('call-9');
    expect(await page.getAttribute('#call-9', 'aria-selected')).toBe('true');
    expect(await page.locator('#details .line.added').textContent()).toContain('+new');
    expect(await page.locator('#details .line.removed').textContent()).toContain('-old');
    await page.keyboard.press('Enter');
    expect(await page.locator('#details:focus').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('#calls:focus').count()).toBe(1);
    await page.keyboard.press('End');
    expect(await page.getAttribute('#calls', 'aria-activedescendant')).toBe('call-20000');
    await page.keyboard.press('/');
    expect(await page.locator('#search:focus').count()).toBe(1);
    await page.keyboard.type('file-12345.ts');
    expect(await page.textContent('#count')).toBe('1 of 20,000 calls');
    await page.keyboard.press('Escape');
    expect(await page.inputValue('#search')).toBe('');
    expect(await page.textContent('#count')).toBe('20,000 calls');
  });

  it('shows the details of a call that passes the filter, or says that none does', async () => {
    await page.fill('#search', 'file-12345.ts');
    expect(await page.textContent('#details h3')).toBe('12346. shell');
    expect(await page.getAttribute('#calls', 'aria-activedescendant')).toBe('call-12346');
    await page.fill('#search', 'no call says this');
    expect(await page.textContent('#details')).toBe('No call matches the search and the filters.');
    expect(await page.getAttribute('#calls', 'aria-activedescendant')).toBeNull();
    await page.fill('#search', '');
    await page.click('#states >> text=denied');
    expect(await page.textContent('#details .facts')).toContain('denied');
    await page.focus('#calls');
    await page.keyboard.press('Escape');
    expect(await page.getAttribute('#states >> text=denied', 'aria-pressed')).toBe('false');
    // What was chosen stays chosen where it is still listed.
    expect(await page.textContent('#details .facts')).toContain('denied');
  });

  it('draws a lane for each kind, and chooses the call that is clicked on', async () => {
    const lanes = await page.locator('#lanes span').allTextContents();
    expect(lanes.length).toBeGreaterThan(0);
    expect(await page.locator('#timeline path').count()).toBeGreaterThanOrEqual(lanes.length);
    await page.locator('#timeline').click({ position: { x: 2, y: 5 } });
    expect(await page.getAttribute('#calls', 'aria-activedescendant')).toBe('call-1');
    await page.fill('#search', 'no call says this');
    expect(await page.locator('#timeline path').count()).toBe(0);
  });

  it('opens without calls and in the dark as well', async () => {
    await open(recordOf(reportOf(result())), { colorScheme: 'dark' });
    expect(await page.isHidden('#app')).toBe(true);
    expect(errors).toEqual([]);
  });

  it.each([1280, 375])(
    'opens at the call that was running when the run failed, %i pixels wide',
    async (width) => {
      await open(failedRun(), { width });
      expect(await page.getAttribute('#calls', 'aria-activedescendant')).toBe('call-61');
      expect(await page.textContent('#details')).toContain('still running when the run ended');
      const isSeen = await page.locator('#call-61').evaluate((row) => {
        const { top, bottom } = (
          row as unknown as { getBoundingClientRect(): { top: number; bottom: number } }
        ).getBoundingClientRect();
        return top >= 0 && bottom <= 900;
      });
      expect(isSeen).toBe(true);
      expect(await page.textContent('.alert')).toContain('Still running at the end: shell npm run forever');
      expect(errors).toEqual([]);
    },
  );

  it('opens at the call that its address names', async () => {
    await open(failedRun(), { hash: '#call-3' });
    expect(await page.getAttribute('#calls', 'aria-activedescendant')).toBe('call-3');
    await page.click('.alert a');
    await page.waitForSelector('#calls[aria-activedescendant=call-61]');
    expect(errors).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has no horizontal scroll bar on a phone, %s', async (colorScheme) => {
    await open(
      {
        ...failedRun(),
        origin: ORIGIN,
        prompt: 'x'.repeat(500),
        review: { summary: LONG, findings: [finding(LONG)] },
        notes: [LONG],
      },
      { colorScheme, width: 375, patches: [{ kind: 'applied', text: PATCH, isWhole: true }] },
    );
    expect(await page.locator('.diff ins').count()).toBe(1);
    const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
    expect(widths).toEqual([375, 375]);
  });

  it('has a name for every control, region and link, and each id once', async () => {
    await open(
      { ...failedRun(), origin: ORIGIN, review: { summary: '', findings: [finding('words')] } },
      { patches: [{ kind: 'applied', text: PATCH, isWhole: true }] },
    );
    const nameless = await page.evaluate(`[...document.querySelectorAll(
      'button, input, select, textarea, a[href], [role=listbox], [role=option], [role=img], [role=region], summary'
    )].filter((part) => (part.getAttribute('aria-label') || part.textContent || '').trim() === '')
      .map((part) => part.outerHTML)`);
    expect(nameless).toEqual([]);
    const twice = await page.evaluate(`[...document.querySelectorAll('[id]')].map(({ id }) => id)
      .filter((id, index, all) => all.indexOf(id) !== index)`);
    expect(twice).toEqual([]);
    const lost = await page.evaluate(`['aria-labelledby', 'aria-describedby', 'aria-activedescendant']
      .flatMap((name) => [...document.querySelectorAll('[' + name + ']')].map((part) => part.getAttribute(name)))
      .filter((id) => document.getElementById(id) === null)`);
    expect(lost).toEqual([]);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.getAttribute('html', 'lang')).toBe('en');
  });

  it('shows where the focus is, at every stop of the Tab key', async () => {
    const seen: string[] = [];
    for (let stop = 0; stop < 60; stop += 1) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate<string>(`(() => {
        const part = document.activeElement;
        return part === document.body ? '' : [part.id || part.tagName, getComputedStyle(part).outlineStyle].join(' ');
      })()`);
      if (focus === '') break;
      seen.push(focus);
    }
    expect(seen.filter((stop) => stop.endsWith(' none'))).toEqual([]);
    expect(seen.map((stop) => stop.split(' ')[0])).toEqual(
      expect.arrayContaining(['search', 'calls', 'details']),
    );
  });
});
