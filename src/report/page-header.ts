import { escapeHtml } from '../text/html-text.js';
import { truncate } from '../text/plain-text.js';
import { code, joined, link } from './html-elements.js';
import { reviewedCommit } from './line-link.js';
import type { RunRecord } from './model.js';

/** Who ran, how it ended, and where and when that was. */
export function pageHeader(record: RunRecord, { who, reason }: { who: string; reason: string | undefined }) {
  const facts = factsOf(record)
    .filter(({ html }) => html !== '')
    .map(({ name, html }) => `<div><dt>${name}</dt><dd>${html}</dd></div>`);
  return joined([
    '<header>',
    reason === undefined
      ? `<h1 class="success"><span class="mark" aria-hidden="true">✓</span> ${escapeHtml(who)}: done</h1>`
      : `<h1 class="failure"><span class="mark" aria-hidden="true">✗</span> ${escapeHtml(who)}: failed (${code(reason)})</h1>`,
    facts.length === 0 ? '' : `<dl class="about">${facts.join('')}</dl>`,
    '</header>',
  ]);
}

function factsOf(record: RunRecord): { name: string; html: string }[] {
  const { origin, change, setup } = record;
  const { repository = '', repositoryUrl, runUrl, startedAt = '' } = origin ?? {};
  const pull = change?.pullRequest ?? origin?.pullRequest;
  const commit = reviewedCommit(record);
  const below = (path: string) => (repositoryUrl === undefined ? undefined : `${repositoryUrl}/${path}`);
  return [
    { name: 'Repository', html: link(repositoryUrl, escapeHtml(repository)) },
    { name: 'Pull request', html: pull === undefined ? '' : link(below(`pull/${pull}`), `#${pull}`) },
    {
      name: 'Commit',
      html: commit === undefined ? '' : link(below(`commit/${commit}`), code(commit.slice(0, 7))),
    },
    { name: 'Workflow run', html: runUrl === undefined ? '' : link(runUrl, escapeHtml(runName(runUrl))) },
    { name: 'Date', html: dateHtml(startedAt) },
    { name: 'Preset', html: setup ? code(setup.preset) : '' },
    { name: 'Model', html: escapeHtml(truncate(record.report.model ?? '', 80)) },
  ];
}

/** `16001, attempt 2`. */
function runName(url: string): string {
  const [, id = 'open', attempt = '1'] = /\/runs\/(\d+)(?:\/attempts\/(\d+))?$/.exec(url) ?? [];
  return attempt === '1' ? id : `${id}, attempt ${attempt}`;
}

/** `2026-11-17 12:05 UTC`. */
function dateHtml(iso: string): string {
  const [, day = '', minute = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso) ?? [];
  return day === '' ? '' : `<time datetime="${escapeHtml(iso)}">${day} ${minute} UTC</time>`;
}
