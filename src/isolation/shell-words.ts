/** Quotes any text as one word for a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Turns a script into one line. `lineBreak` is the name of a shell variable that holds a line break. */
export const onOneLine = (script: string, lineBreak: string): string =>
  `eval ${script.split('\n').map(quote).join(`"$${lineBreak}"`)}\n`;

export function exportAll(variables: Readonly<Record<string, string>>): string {
  const words = Object.entries(variables).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new Error(`${JSON.stringify(name)} cannot be the name of an environment variable in a shell.`);
    }
    // A shell would drop it silently, and no environment can contain it.
    if (value.includes('\0')) throw new Error(`The environment variable ${name} holds a NUL character.`);
    return `${name}=${quote(value)}`;
  });
  return words.length === 0 ? ':' : `export ${words.join(' ')}`;
}

/** The length of one command. The kernel accepts about two million characters. */
const BATCH_CHARACTERS = 100_000;

/** The same command for any number of arguments, split into batches. */
export function inBatches(command: string, words: readonly string[]): string[] {
  const commands: string[] = [];
  let batch = '';
  for (const word of words.map(quote)) {
    if (batch !== '' && batch.length + word.length > BATCH_CHARACTERS) {
      commands.push(`${command}${batch}`);
      batch = '';
    }
    batch += ` ${word}`;
  }
  return batch === '' ? commands : [...commands, `${command}${batch}`];
}
