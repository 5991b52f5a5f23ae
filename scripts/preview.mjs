// Writes pictures of job summaries and HTML reports to preview/, as GitHub and a browser show them: light and dark, wide
// and on a phone. If names are given, only those cases are drawn. The case "readme" draws the picture of the README.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleScript } from './bundle-script.mjs';
import { renderComment, renderSummary } from './preview-markdown.mjs';
import { readmePage } from './preview-readme.mjs';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'preview');
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(browserPath)) {
  console.error(`The preview needs Chromium: ${browserPath} is missing; install it or set CHROMIUM.`);
  process.exit(1);
}

const built = mkdtempSync(join(root, 'node_modules', '.preview-'));
try {
  const program = bundleScript(join(root, 'scripts', 'preview-cases.ts'), built);
  rmSync(target, { recursive: true, force: true });
  execFileSync(process.execPath, [program, target], { cwd: root, stdio: 'inherit' });
} finally {
  rmSync(built, { recursive: true, force: true });
}

const SCREENS = [
  { name: 'wide', width: 1280, height: 900 },
  { name: 'phone', width: 375, height: 812 },
];
const wanted = process.argv.slice(2);
const cases = readdirSync(target).filter(
  (name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)),
);
const { chromium } = await import('playwright-core');
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  for (const name of cases) {
    if (name === 'readme.json') {
      await drawReadme(join(target, name));
      continue;
    }
    const isSummary = name.endsWith('.summary.md');
    const path = join(target, isSummary ? `${name}.html` : name);
    if (isSummary)
      writeFileSync(path, summaryPage(readFileSync(join(target, name), 'utf8'), name.startsWith('publish-')));
    for (const { name: screen, ...viewport } of SCREENS) {
      for (const colorScheme of ['light', 'dark']) {
        await draw(path, {
          viewport,
          colorScheme,
          picture: join(target, `${name.replace(/\.(md|html)$/, '')}.${screen}.${colorScheme}.png`),
        });
      }
    }
    if (isSummary) rmSync(path);
    console.log(name);
  }
} finally {
  await browser.close();
}

async function draw(path, { viewport, colorScheme, picture }) {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(pathToFileURL(path).href);
  await page.waitForTimeout(150);
  await page.screenshot({ path: picture, fullPage: true });
  await page.close();
}

async function drawReadme(path) {
  const page = join(target, 'readme.html');
  writeFileSync(page, readmePage({ ...JSON.parse(readFileSync(path, 'utf8')), css: githubStyle() }));
  const picture = join(root, 'docs', 'images', 'review.png');
  await draw(page, { viewport: { width: 1400, height: 600 }, colorScheme: 'light', picture });
}

function githubStyle() {
  return readFileSync(require.resolve('github-markdown-css/github-markdown.css'), 'utf8');
}

/** The summary in GitHub's own style. */
function summaryPage(markdown, isComment) {
  const style = githubStyle();
  return `<!doctype html><html><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><style>${style}
body{margin:0;background:#fff}@media(prefers-color-scheme:dark){body{background:#0d1117}}
article{max-width:1012px;margin:0 auto;padding:24px 16px}</style>
<article class="markdown-body">${isComment ? renderComment(markdown) : renderSummary(markdown)}</article></html>`;
}
