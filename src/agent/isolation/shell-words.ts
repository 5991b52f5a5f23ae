/** One word for a POSIX shell, whatever is in the text. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A whole script as one line, for a reader that takes a line: `lineBreak` is the name of a shell variable that
 * holds a line break, because the line itself can hold none.
 */
export const onOneLine = (script: string, lineBreak: string): string =>
  `eval ${script.split('\n').map(quote).join(`"$${lineBreak}"`)}\n`;

export function exportAll(variables: Readonly<Record<string, string>>): string {
  const words = Object.entries(variables).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new Error(`${JSON.stringify(name)} cannot be the name of an environment variable in a shell.`);
    }
    // A shell would drop it without a word, and a process cannot have it in its environment either.
    if (value.includes('\0')) throw new Error(`The environment variable ${name} holds a NUL character.`);
    return `${name}=${quote(value)}`;
  });
  return words.length === 0 ? ':' : `export ${words.join(' ')}`;
}
