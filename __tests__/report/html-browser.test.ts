import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { buildHtml } from '../../src/report/render-html.js';
import type { RunRecord } from '../../src/report/model.js';
import { buildGantt } from '../../src/report/timeline.js';
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

(hasBrowser ? describe : describe.skip)('the HTML report in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  const requests: string[] = [];

  async function open(record: RunRecord, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    const path = join(folder, 'report.html');
    writeFileSync(path, buildHtml(record));
    page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(path).href);
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
    await page.keyboard.press('/');
    expect(await page.locator('#search:focus').count()).toBe(1);
  });

  it('zooms the timeline with buttons and keys', async () => {
    const view = () => page.getAttribute('#timeline', 'data-view');
    const whole = await view();
    await page.click('#zoom-in');
    expect(await view()).not.toBe(whole);
    await page.focus('#timeline');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('0');
    expect(await view()).toBe(whole);
  });

  it('opens without calls and in the dark as well', async () => {
    await open(recordOf(reportOf(result())), 'dark');
    expect(await page.isHidden('#app')).toBe(true);
    expect(errors).toEqual([]);
  });

  it('has a gantt that Mermaid draws', async () => {
    const gantt = buildGantt(runOf(12).report, 60_000);
    await page.goto('about:blank');
    await page.addScriptTag({ path: 'node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js' });
    const svg = await page.evaluate(
      `mermaid.render('gantt', ${JSON.stringify(gantt)}).then(({ svg }) => svg)`,
    );
    expect(svg).toContain('src/file-0.ts');
  });
});
