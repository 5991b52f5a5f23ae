import { shellQuote } from '../../core/programs.js';
import { isText, toBytes, toText, type BytePath } from '../../git/paths.js';

/** The last line of a script that is sent. Without it the sender died early, and nothing is run. */
const END = '# end of the script';

/**
 * Runs a script that `sendScript` wrote to stdin. What follows the script in stdin is left for others. `dd` reads as many
 * bytes as it is told and no more. `read` does so too, but with one system call per byte, which takes longer for a long script.
 */
export const RUN_SENT_SCRIPT = `IFS= read -r size && script=$(dd bs="$size" count=1 iflag=fullblock 2>/dev/null)
case $script in *'${END}') eval "$script" ;; *) exit 1 ;; esac
`;

/** A script as input for `RUN_SENT_SCRIPT`. The encoding is the one that the whole input gets. */
export function sendScript(script: string, encoding: BufferEncoding = 'utf8'): string {
  const sent = `${script}\n${END}`;
  return `${Buffer.byteLength(sent, encoding)}\n${sent}`;
}

export function exportAll(variables: Readonly<Record<string, string>>): string {
  const words = Object.entries(variables).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new Error(`${JSON.stringify(name)} cannot be the name of an environment variable in a shell.`);
    }
    // A shell would drop it silently, and no environment can contain it.
    if (value.includes('\0')) throw new Error(`The environment variable ${name} holds a NUL character.`);
    return `${name}=${shellQuote(value)}`;
  });
  return words.length === 0 ? ':' : `export ${words.join(' ')}`;
}

/** The length of one command. The kernel accepts about two million characters. */
const BATCH_CHARACTERS = 100_000;

/** A path as a word of a script, which is text: the shell itself makes the bytes that are not. */
export const quotePath = (path: BytePath): string =>
  isText(path)
    ? shellQuote(toText(path))
    : path.replace(/[^\x80-\xff]+|[\x80-\xff]+/g, (part) =>
        part < '\x80' ? shellQuote(part) : `"$(printf '${inOctal(part)}')"`,
      );

const inOctal = (bytes: BytePath): string =>
  [...toBytes(bytes)].map((byte) => `\\${byte.toString(8)}`).join('');

/** The same command for any number of quoted arguments, split into batches. `end` follows the arguments. */
export function inBatches(command: string, words: readonly string[], end = ''): string[] {
  const commands: string[] = [];
  let batch = '';
  for (const word of words) {
    if (batch !== '' && batch.length + word.length > BATCH_CHARACTERS) {
      commands.push(`${command}${batch}${end}`);
      batch = '';
    }
    batch += ` ${word}`;
  }
  return batch === '' ? commands : [...commands, `${command}${batch}${end}`];
}
