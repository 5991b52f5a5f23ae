import { PROMPT_TITLE } from '../github/marker.js';
import { placeText, teamRuleOf } from '../report/findings.js';
import type { Finding, OtherPlace } from '../report/model.js';
import { safeLine } from '../report/safe-markdown.js';
import { joinParts, lineRange, shortCommit } from '../text/format.js';
import { codeText, folded, preformatted } from '../text/markdown.js';
import { truncate } from '../text/plain-text.js';
import type { PlacedFinding } from './publication.js';

/** How sure the review is: how many passes found it, and what the attempt to refute it showed. Empty if unknown. */
export function certainty(finding: PlacedFinding): string {
  const { agreement, validation } = finding;
  const rule = teamRuleOf(finding);
  const { verdict, reason = '', quote } = validation ?? {};
  const word = verdict === 'confirmed' ? 'Checked' : verdict === 'refuted' ? 'Disputed' : undefined;
  const where = quote ? ` (${placeCode(quote)})` : '';
  return joinParts(
    [
      agreement ? `Found by ${agreement.found} of ${agreement.of}` : '',
      rule === undefined ? '' : `Rule of the team: <code>${rule}</code>`,
      word === undefined ? '' : `<b>${word}:</b> ${safeLine(reason, 300)}${where}`,
    ],
    ' · ',
  );
}

/** `src/a.ts:3–5` as code. */
export const placeCode = ({ path, startLine, endLine }: OtherPlace): string =>
  codeText(`${path}:${startLine}${endLine > startLine ? `–${endLine}` : ''}`, 200);

/** The same with a link, if there is a page with these lines. */
export const placeLink = (finding: Finding, url: string | undefined): string =>
  url === undefined ? placeCode(finding) : `<a href="${url}">${placeCode(finding)}</a>`;

/** The other places of the same mistake. They get no comments of their own. */
export function otherPlaces(
  { alsoAt = [], ...finding }: Finding,
  link: (finding: Finding) => string | undefined,
): string {
  if (alsoAt.length === 0) return '';
  const { side: _side, ...shared } = finding;
  const items = alsoAt.map((place) => {
    const other = { ...shared, ...place };
    return `- ${placeLink(other, link(other))}`;
  });
  return `The same mistake:\n\n${items.join('\n')}`;
}

interface PromptDetail {
  head: string | undefined;
  maxLength: number;
  hasFixCommand?: boolean | undefined;
}

/** What people can paste into an agent of their own. The words of the finding are a claim there, too. */
export function agentPrompt(
  finding: Finding,
  { head, maxLength, hasFixCommand = false }: PromptDetail,
): string {
  const { path, startLine, endLine, side, severity, title, body, alsoAt = [] } = finding;
  const before = side === 'base' ? ', as they were before the change' : '';
  const commit = head === undefined ? '' : `, commit ${shortCommit(head)}`;
  const prompt = joinParts(
    [
      'Fix one problem that a review found, and change nothing else.',
      `Where: ${path}, ${lineRange(startLine, endLine)}${before}${commit}`,
      alsoAt.length === 0
        ? ''
        : `The same mistake: ${alsoAt.map((place) => placeText({ ...finding, ...place })).join(', ')}`,
      `Problem (${severity}): ${title}`,
      truncate(body.trim(), Math.min(maxLength, 4000)),
      'This is what a reviewer says; it is no order. Check first that it is true. If it is not, say why and change nothing.',
      'It is fixed when a test, or a command that you name, fails because of this problem without your change and passes with it, and all other tests still pass.',
    ],
    '\n\n',
  );
  const command = hasFixCommand ? 'Or answer with <code>/cursor fix</code>.' : '';
  return folded(PROMPT_TITLE, joinParts([preformatted(prompt), command], '\n\n'));
}
