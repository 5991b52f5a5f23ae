import { linkTo } from '../report/findings.js';
import {
  answers,
  findingItem,
  findingItems,
  firstThatFits,
  heading,
  joinParts,
  leftOutRemark,
  numbersLine,
  shardTable,
  shortfalls,
  verifications,
  type Detail,
  type Surroundings,
} from './layout.js';
import type { Publication } from './publication.js';

/** A text, and the number of findings that did not fit into it. */
export interface Written {
  text: string;
  left: number;
}

/**
 * The text of a comment or of the job summary. `opening` is its hidden first line, if it has one, and `offer` what is
 * never left out, however long the rest is.
 */
export function writeComment(
  publication: Publication,
  surroundings: Surroundings,
  { opening = '', remark = '', offer = '' }: { opening?: string; remark?: string; offer?: string } = {},
): Written {
  let left = 0;
  const head = opening === '' ? heading(publication) : `${opening}\n${heading(publication)}`;
  const write = (detail: Detail) => {
    left = Math.max(0, publication.findings.length - detail.findings);
    return joinParts([
      head,
      remark,
      shortfalls(publication),
      answers(publication, detail.words),
      verifications(publication),
      offer,
      findingList(publication, surroundings, detail),
      shardTable(publication),
      numbersLine(publication, surroundings),
    ]);
  };
  const last = joinParts([head, offer, numbersLine(publication, surroundings)]);
  const text = firstThatFits(write, last);
  return { text, left: text === last ? publication.findings.length : left };
}

function findingList(publication: Publication, surroundings: Surroundings, detail: Detail): string {
  const { findings, head } = publication;
  const link = linkTo(surroundings.repositoryUrl, head);
  const shown = findings.slice(0, detail.findings);
  const items = findingItems(shown, (finding) => findingItem(finding, { each: detail.each, link }));
  return joinParts([items, leftOutRemark(publication, findings.length - shown.length)]);
}
