import type { NamedIssue } from '../github/event.js';
import { bounded, labelList, oneLine } from './pull-request.js';

/** An issue as text, from the event alone: what somebody writes into it later is not read. */
export const describeIssue = ({ number, title, body, author, labels }: NamedIssue): string =>
  [
    `Issue: #${number}`,
    `Title: ${oneLine(title)}`,
    `Author: ${oneLine(author) || '(unknown)'}`,
    `Labels: ${labelList(labels)}`,
    '',
    'Description:',
    '',
    bounded(body),
    '',
  ].join('\n');
