import { readFileSync } from 'node:fs';
import { attempt } from '../core/errors.js';
import { checkStatements, readClaims, STATEMENTS_FORM } from '../documents/statements.js';
import { parseGitDiff } from '../git/diff.js';
import { pathFrom } from '../git/paths.js';
import { MAX_LINE } from '../report/findings.js';
import type { RunRecord } from '../report/model.js';
import { openCheckout } from '../review/check-findings.js';
import type { CheckedInputs } from './resolve-inputs.js';
import { repositoryOf } from './structured-answer.js';

/** The form of the answer of an agent that writes documents, unless the workflow asks for another answer. */
export const statementsForm = ({
  inputs,
  expectation,
}: Pick<CheckedInputs, 'inputs' | 'expectation'>): string | undefined =>
  inputs.preset === 'docs' && !expectation && inputs.outputSchema.trim() === 'auto'
    ? STATEMENTS_FORM
    : undefined;

/**
 * Finds the code that shows each statement of the applied change to the documents. An answer in another form is no failure:
 * then no statement has a source, and the report says so.
 */
export function findStatements(
  { report, changes }: Pick<RunRecord, 'report' | 'changes'>,
  { resolved }: Pick<CheckedInputs, 'resolved'>,
): Pick<RunRecord, 'statements' | 'structuredOutput'> {
  if (changes?.kind !== 'known') return {};
  const { patchFile } = changes;
  const patch = patchFile === undefined ? '' : attempt(() => readFileSync(patchFile, 'utf8'));
  if (patch === undefined) return {};
  const { answer, result } = report;
  const texts = [answer, result && !result.isError ? result.text : ''];
  const claims = readClaims(texts);
  if (patch === '' && !claims) return {};
  const root = repositoryOf(resolved);
  const checkout = openCheckout(root);
  const readFiles = new Map<string, readonly string[] | undefined>();
  const statements = checkStatements(
    patch === '' || !claims ? { summary: claims?.summary ?? answer, claims: [] } : claims,
    {
      files: parseGitDiff(patch),
      prefix: pathFrom(root, resolved.directory),
      linesOf(path) {
        if (!readFiles.has(path))
          readFiles.set(path, checkout.lines(path, { startLine: 1, endLine: MAX_LINE })?.split(/\r?\n/));
        return readFiles.get(path);
      },
    },
  );
  return {
    statements,
    ...(claims ? { structuredOutput: { summary: claims.summary, changes: claims.claims } } : {}),
  };
}
