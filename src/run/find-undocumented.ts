import { join } from 'node:path';
import { askedInFull } from '../context/choose-scope.js';
import type { Change } from '../context/change.js';
import { compareWithDocuments } from '../documents/documented.js';
import { readDocuments, readSmall } from '../documents/read-documents.js';
import type { GithubEvent } from '../github/event.js';
import type { Skipped } from '../report/model.js';
import { firstLines, plural } from '../text/format.js';
import { checkoutTop } from './find-checkout.js';
import type { CheckedInputs } from './resolve-inputs.js';

interface UndocumentedRequest extends Pick<CheckedInputs, 'inputs' | 'resolved'> {
  event: Pick<GithubEvent, 'name' | 'payload'>;
}

const MAX_NAMED = 5;

/**
 * Why nothing can be out of date in the documents; undefined if something can, or if that is unknown. Only for the built-in
 * task: any other one, `context`, `instructions` and a person who asks can be about more than names.
 */
export async function findUndocumented(
  { inputs, resolved, event }: UndocumentedRequest,
  change: Change | undefined,
): Promise<Skipped | undefined> {
  const isBuiltIn = inputs.preset === 'docs' && inputs.prompt.kind === 'built-in';
  const isWidened = inputs.context.kind !== 'auto' || inputs.instructions !== undefined;
  if (!isBuiltIn || isWidened || !change || askedInFull(event) !== undefined) return undefined;
  const files = await change.files().catch(() => undefined);
  if (!files || files.some(({ binary }) => binary) || (await change.isPartial())) return undefined;
  const top = checkoutTop(resolved);
  const documents = readDocuments(top);
  if (!documents || documents.length === 0) return undefined;
  const compared = compareWithDocuments({ files, documents, sourceOf: (path) => readSmall(join(top, path)) });
  if (compared.described.length > 0 || compared.added.length > 0) return undefined;
  const named = firstLines(documents.map(({ path }) => path).sort(), MAX_NAMED);
  return {
    code: 'nothing-documented',
    reason:
      `Nothing that the documents describe can have changed: ${plural(compared.names, 'name')} in ` +
      `${plural(compared.files, 'changed file')} (without documents, tests and generated files) were compared with ` +
      `${plural(documents.length, 'document')} (${named.join(', ')}), and no public name is new.`,
  };
}
