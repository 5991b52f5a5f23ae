/** A job may carry 1 MB of outputs, counted in UTF-16. */
const MOST_CHARACTERS = 200_000;

/** JSON on one line, whoever reads it: U+2028 and its like end a line for some. */
export const oneLineJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The output `structured-output`. JSON is never cut: what is too long is left to the report. */
export function structuredText(value: unknown): { text: string; note?: string } {
  if (value === undefined) return { text: '' };
  const text = oneLineJson(value);
  if (text.length <= MOST_CHARACTERS) return { text };
  const note =
    `structured-output is empty, because the JSON has ${text.length} characters and an output takes ${MOST_CHARACTERS}; ` +
    'it is whole in report-file, as structuredOutput.';
  return { text: '', note };
}
