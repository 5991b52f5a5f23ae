/** One command of a shell line: the name as it is written, without its quotes, and what follows it. */
export interface ShellCommand {
  name: string;
  args: string;
}

interface ShellReading {
  commands: ShellCommand[];
  /** Whether these are all commands that can be found by reading. False for open quotes and for computed names. */
  isCertain: boolean;
}

/** Longer lines are not read, so that no line can make this slow. They count as uncertain. */
const MAX_CHARACTERS = 100_000;
const MAX_COMMANDS = 200;
/** How deep scripts, substitutions and wrappers may be nested. */
const MAX_DEPTH = 12;

/**
 * Finds the commands of a shell line: in lists, pipes, subshells, substitutions and here-documents for a shell, and
 * behind programs that start other programs (`bash -c`, `env`, `xargs`, `timeout`, `find -exec`).
 *
 * This is a reader, not a shell. It does not see what is computed: a name in a variable, encoded text, a script in a
 * file, another language (`python -c`). A name that is computed makes the reading uncertain.
 */
export function readShellLine(line: string): ShellReading {
  const reading: ShellReading = { commands: [], isCertain: true };
  readScript(line, reading, 0);
  return reading;
}

/** Every word of a text that could be the name of a program, with what follows it. For lines that cannot be read. */
export function everyWord(text: string): ShellCommand[] {
  const seen = new Map<string, ShellCommand>();
  for (const { 0: name, index } of text.matchAll(/[\w.+@-]+/g)) {
    if (!seen.has(name)) seen.set(name, { name, args: text.slice(index + name.length).trim() });
  }
  return [...seen.values()];
}

/** The program behind a name: without its folder, and without the ending that Windows lets one omit. */
export const programOf = (name: string): string =>
  name
    .replace(/^.*[\\/]/s, '')
    .replace(/\.(exe|cmd|bat|com)$/i, '')
    .toLowerCase();

function readScript(text: string, reading: ShellReading, depth: number): void {
  if (text.length > MAX_CHARACTERS || depth > MAX_DEPTH) {
    reading.isCertain = false;
    return;
  }
  const { commands, isComplete } = splitCommands(text);
  if (!isComplete) reading.isCertain = false;
  for (const command of commands) readCommand(command, reading, depth);
}

/** Words that can precede a command. */
const BEFORE_COMMANDS = new Set('then do else elif if while until ! { coproc'.split(' '));
/** Words of the shell's grammar that start no program. */
const NO_PROGRAMS = new Set('for case select function in fi done esac } [[ ]]'.split(' '));
const isAssignment = ({ text }: Word): boolean => /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(text);

function readCommand({ words: written, inputs }: SimpleCommand, reading: ShellReading, depth: number): void {
  // `coproc NAME { …; }`: the name runs nothing.
  const isNamed = written[0]?.text === 'coproc' && BEFORE_COMMANDS.has(written[2]?.text ?? '');
  const words = isNamed ? written.slice(2) : written;
  const start = words.findIndex((word) => !BEFORE_COMMANDS.has(word.text) && !isAssignment(word));
  const [name, ...rest] = start < 0 ? [] : words.slice(start);
  // The body of a function runs later, under a name of its own.
  if (name?.text === 'function') reading.isCertain = false;
  if (name === undefined || NO_PROGRAMS.has(name.text)) return;
  if (depth > MAX_DEPTH || reading.commands.length >= MAX_COMMANDS) {
    reading.isCertain = false;
    return;
  }
  if (name.isComputed) reading.isCertain = false;
  // `time` is a word of the shell, and what it measures is what runs.
  if (name.text !== '' && name.text !== 'time')
    reading.commands.push({ name: name.text, args: joined(rest) });
  const inner = startedBy(programOf(name.text), rest, inputs);
  for (const script of inner.scripts) readScript(script, reading, depth + 1);
  for (const command of inner.commands) readCommand({ words: command, inputs }, reading, depth + 1);
}

const joined = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

/** What a program starts, according to its arguments: scripts for a shell, and other commands. */
interface Started {
  scripts: string[];
  commands: Word[][];
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'fish']);
export const isShell = (program: string): boolean => SHELLS.has(program) || program === 'eval';
/** Programs that take a script after `-c`, besides the shells. */
const WITH_SCRIPT = new Set(['su', 'script', 'runuser', 'sg', 'npx', 'pnpx', 'bunx', 'flock']);
/** Programs whose arguments are a script: their options with a value. */
const IS_SCRIPT: Readonly<Record<string, { values?: string }>> = {
  eval: {},
  watch: { values: '-n --interval -q --equexit' },
  trap: {},
};

/** Programs that run the command after their options: the options with a value, and the operands before the command. */
const WRAPPERS: Readonly<Record<string, { values?: string; operands?: number }>> = {
  env: { values: '-u --unset -C --chdir -a --argv0' },
  nohup: {},
  setsid: {},
  builtin: {},
  command: {},
  exec: { values: '-a' },
  nice: { values: '-n --adjustment' },
  ionice: { values: '-c --class -n --classdata' },
  timeout: { values: '-s --signal -k --kill-after', operands: 1 },
  stdbuf: { values: '-i --input -o --output -e --error' },
  time: { values: '-f --format -o --output' },
  xargs: {
    values: '-I -n --max-args -P --max-procs -L --max-lines -d --delimiter -E -s --max-chars -a --arg-file',
  },
  parallel: { values: '-j --jobs -a --arg-file' },
  sudo: { values: '-u --user -g --group -h --host -p --prompt -C -D --chdir -r -t -T -U' },
  doas: { values: '-u -C' },
  runuser: { values: '-u --user -g --group' },
  script: { values: '-c --command -I -O -B -T -E -m -o', operands: 1 },
  setpriv: { values: '--reuid --regid --groups' },
  unshare: {},
  nsenter: { values: '-t --target' },
  chroot: { operands: 1 },
  flock: { values: '-w --timeout -E', operands: 1 },
  taskset: { operands: 1 },
  chrt: { operands: 1 },
  strace: { values: '-e -o -p -s -u' },
  busybox: {},
  toybox: {},
  npx: { values: '-p --package' },
  pnpx: { values: '-p --package' },
  bunx: { values: '-p --package' },
};

function startedBy(program: string, args: readonly Word[], inputs: readonly string[]): Started {
  if (SHELLS.has(program)) {
    const scripts = scriptAfter(args, /^-[A-Za-z]*c[A-Za-z]*$/);
    return { scripts: scripts.length > 0 ? scripts : [...inputs], commands: [] };
  }
  const ofScript = Object.hasOwn(IS_SCRIPT, program) ? IS_SCRIPT[program] : undefined;
  if (ofScript) return { scripts: [joined(withoutOptions(args, ofScript))], commands: [] };
  if (program === 'find') return { scripts: [], commands: executedByFind(args) };
  // The text can begin with options of `env`, and what follows it belongs to the same command. There `\_` is a space.
  const split = program === 'env' ? scriptIn(args, 'S', 'split-string') : undefined;
  if (split) {
    const text = split.script.replaceAll('\\_', ' ');
    return { scripts: [`env ${text} ${joined(split.rest)}`], commands: [] };
  }
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  const script = WITH_SCRIPT.has(program) ? scriptIn(args, 'c', 'command', 'call')?.script : undefined;
  const commands = wrapper ? [withoutOptions(args, wrapper)] : [];
  // Some builds of `script` take the command after the name of their file, others after `--`.
  const end = program === 'script' ? args.findIndex(({ text }) => text === '--') : -1;
  if (end >= 0) commands.push(args.slice(end + 1));
  return { scripts: script === undefined ? [] : [script], commands };
}

/** The first word after an option that is not an option itself. */
function scriptAfter(args: readonly Word[], option: RegExp): string[] {
  const at = args.findIndex(({ text }) => option.test(text));
  const script = at < 0 ? undefined : args.slice(at + 1).find(({ text }) => !text.startsWith('-'));
  return script === undefined ? [] : [script.text];
}

/** The value of an option, in all forms: `-c x`, `-qc x`, `-cx`, `--command x`, `--command=x`; and what follows it. */
function scriptIn(
  args: readonly Word[],
  short: string,
  ...long: readonly string[]
): { script: string; rest: readonly Word[] } | undefined {
  const option = new RegExp(`^-[A-Za-z]*?${short}=?`);
  const isLong = ({ text }: Word) =>
    isShortened(
      text.replace(/=.*/s, ''),
      long.map((name) => `--${name}`),
    );
  const at = args.findIndex((word) => option.test(word.text) || isLong(word));
  const attached = args[at]?.text.replace(/^--[^=]*=?/, '').replace(option, '');
  if (attached === undefined) return undefined;
  if (attached !== '') return { script: attached, rest: args.slice(at + 1) };
  const next = args[at + 1];
  return next && { script: next.text, rest: args.slice(at + 2) };
}

/** Many programs take the beginning of a long option for the whole. */
const isShortened = (text: string, options: readonly string[]): boolean =>
  text.length > '--'.length && text.startsWith('--') && options.some((option) => option.startsWith(text));

function withoutOptions(args: readonly Word[], wrapper: { values?: string; operands?: number }): Word[] {
  const values = new Set(wrapper.values?.split(' '));
  let at = 0;
  for (; at < args.length; at += 1) {
    const text = args[at]?.text ?? '';
    if (text === '--') {
      at += 1;
      break;
    }
    if (!text.startsWith('-')) break;
    if (values.has(text) || isShortened(text, [...values])) at += 1;
  }
  return args.slice(at + (wrapper.operands ?? 0));
}

const FIND_OPTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function executedByFind(args: readonly Word[]): Word[][] {
  return args.flatMap(({ text }, at) => {
    if (!FIND_OPTIONS.has(text)) return [];
    const rest = args.slice(at + 1, at + 1 + MAX_COMMANDS);
    const end = rest.findIndex((word) => word.text === ';' || word.text === '+');
    return [end < 0 ? rest : rest.slice(0, end)];
  });
}

/** One word of a command, without its quotes. `isComputed`: a part of it is known only when it runs. */
interface Word {
  text: string;
  isComputed: boolean;
}

interface SimpleCommand {
  words: Word[];
  /** Here-documents and here-strings. */
  inputs: string[];
}

interface HereDocument {
  end: string;
  isQuoted: boolean;
  mayIndent: boolean;
  command: SimpleCommand;
}

/** Splits a text as a shell does, from left to right, and collects the commands of every level. */
function splitCommands(text: string): { commands: SimpleCommand[]; isComplete: boolean } {
  const scanner = new Scanner(text);
  scanner.readList(undefined, 0);
  return scanner;
}

class Scanner {
  readonly commands: SimpleCommand[] = [];
  isComplete = true;
  private at = 0;
  /** What ends the list that is being read. */
  private end: ')' | '`' | undefined;
  private waiting: HereDocument[] = [];

  constructor(private readonly text: string) {}

  /** Reads commands up to the character that ends this list, or to the end of the text. */
  readList(end: ')' | '`' | undefined, depth: number): void {
    const outer = this.end;
    this.end = end;
    this.readCommands(end, depth);
    this.end = outer;
  }

  private readCommands(end: ')' | '`' | undefined, depth: number): void {
    if (depth > MAX_DEPTH) {
      this.isComplete = false;
      this.at = this.text.length;
      return;
    }
    let command = this.open();
    while (this.at < this.text.length) {
      const character = this.text[this.at] ?? '';
      if (character === end) {
        this.at += 1;
        return;
      }
      if (character === '(') {
        this.at += 1;
        this.readList(')', depth + 1);
        command = this.open();
      } else if (character === '\n') {
        this.at += 1;
        this.readHereDocuments(depth);
        command = this.open();
      } else if (character === '&' && this.text[this.at + 1] === '>') {
        this.at += 1;
      } else if (/[;&|)]/.test(character)) {
        this.at += 1;
        command = this.open();
      } else if (/\s/.test(character)) {
        this.at += 1;
      } else if (character === '#') {
        this.skipTo(/\n/g);
      } else {
        this.readItem(command, depth);
      }
    }
    if (end !== undefined) this.isComplete = false;
  }

  private open(): SimpleCommand {
    const command: SimpleCommand = { words: [], inputs: [] };
    this.commands.push(command);
    return command;
  }

  /** A word, or a redirection with the word after it. */
  private readItem(command: SimpleCommand, depth: number): void {
    const redirection = this.match(/\d*(?:<<<|<<-?|[<>](?!\()[<>&|]*)/y);
    if (redirection === undefined) {
      const word = this.readWord(depth);
      command.words.push(word);
      return;
    }
    this.match(/[ \t]+/y);
    const from = this.at;
    const { text } = this.readWord(depth);
    if (redirection.endsWith('<<<')) command.inputs.push(text);
    else if (/<<-?$/.test(redirection)) {
      const isQuoted = /['"\\]/.test(this.text.slice(from, this.at));
      this.waiting.push({ end: text, isQuoted, mayIndent: redirection.endsWith('-'), command });
    }
  }

  private readWord(depth: number): Word {
    const word: Word = { text: '', isComputed: false };
    while (this.at < this.text.length && this.readPart(word, depth)) continue;
    return word;
  }

  /** Adds the next part of a word to it. Returns false at the end of the word. */
  private readPart(word: Word, depth: number): boolean {
    const rest = this.match(/[^\s;&|()<>'"\\$`]+/y);
    if (rest !== undefined) {
      word.text += rest;
      // A shell replaces these by file names and lists.
      if (/[*?{}[\]]/.test(rest) && !/^[{}]$|^\[\[?$|^\]\]?$/.test(rest)) word.isComputed = true;
      return true;
    }
    const character = this.text[this.at] ?? '';
    if (/[\s;&|()]/.test(character) || character === this.end) return false;
    if (character === "'" || this.text.startsWith("$'", this.at)) {
      this.at += character === "'" ? 1 : 2;
      const quoted = this.skipTo(/'/g);
      word.text += quoted;
      this.close("'");
      // In `$'…'` a backslash begins a character, also a quote, so the end of the text is uncertain.
      if (character === '$' && quoted.includes('\\')) {
        word.isComputed = true;
        this.isComplete = false;
      }
    } else if (character === '"') {
      this.at += 1;
      this.readQuoted(word, { end: '"', depth });
    } else if (character === '\\') {
      const next = this.text[this.at + 1] ?? '';
      if (next !== '\n') word.text += next;
      this.at += 2;
    } else if (/[<>]/.test(character)) {
      // Anything but the substitution of a process is a redirection, which ends the word.
      if (this.text[this.at + 1] !== '(') return false;
      this.readSubstitution(word, { length: 2, end: ')', depth });
    } else {
      this.readExpansion(word, depth);
    }
    return true;
  }

  /** In double quotes, in `${…}` and in a here-document only expansions count. */
  private readQuoted(word: Word, { end, depth }: { end: '"' | '}' | undefined; depth: number }): void {
    while (this.at < this.text.length) {
      const rest = this.match(end === '}' ? /[^}\\$`]+/y : /[^"\\$`]+/y);
      if (rest !== undefined) word.text += rest;
      const character = this.text[this.at];
      if (character === undefined) break;
      if (character === end) {
        this.at += 1;
        return;
      }
      if (character === '\\') {
        const next = this.text[this.at + 1] ?? '';
        word.text += /["\\$`\n]/.test(next) ? next.replace('\n', '') : `\\${next}`;
        this.at += 2;
      } else if (character === '$' || character === '`') {
        this.readExpansion(word, depth);
      } else {
        word.text += character;
        this.at += 1;
      }
    }
    if (end !== undefined) this.isComplete = false;
  }

  private readExpansion(word: Word, depth: number): void {
    if (this.text[this.at] === '`') {
      this.readSubstitution(word, { length: 1, end: '`', depth });
    } else if (this.text.startsWith('$(', this.at)) {
      this.readSubstitution(word, { length: 2, end: ')', depth });
    } else if (this.text.startsWith('${', this.at) && depth < MAX_DEPTH) {
      this.at += 2;
      word.text += '${';
      word.isComputed = true;
      this.readQuoted(word, { end: '}', depth: depth + 1 });
      word.text += '}';
    } else if (this.text.startsWith('$"', this.at)) {
      // The text is translated.
      this.at += 1;
      word.isComputed = true;
    } else {
      const name = this.match(/\$(?:\w+|[@*#?$!-])?/y) ?? '$';
      word.text += name;
      if (name.length > 1) word.isComputed = true;
    }
  }

  /** The text of a substitution stays in the word, because the word may be a script that is read again. */
  private readSubstitution(
    word: Word,
    { length, end, depth }: { length: number; end: ')' | '`'; depth: number },
  ): void {
    const from = this.at;
    this.at += length;
    this.readList(end, depth + 1);
    word.text += this.text.slice(from, this.at);
    word.isComputed = true;
  }

  /** Their text begins in the line after the one that names them. */
  private readHereDocuments(depth: number): void {
    for (const { end, isQuoted, mayIndent, command } of this.waiting.splice(0)) {
      const from = this.at;
      let body = '';
      for (;;) {
        if (this.at >= this.text.length) {
          this.isComplete = false;
          break;
        }
        const line = this.skipTo(/\n/g);
        this.at += 1;
        if ((mayIndent ? line.replace(/^\t+/, '') : line) === end) break;
        body = this.text.slice(from, this.at);
      }
      command.inputs.push(body);
      if (isQuoted) continue;
      const inner = new Scanner(body);
      inner.readQuoted({ text: '', isComputed: false }, { end: undefined, depth: depth + 1 });
      this.commands.push(...inner.commands);
      this.isComplete &&= inner.isComplete;
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined || found === '') return undefined;
    this.at += found.length;
    return found;
  }

  private skipTo(pattern: RegExp): string {
    const from = this.at;
    pattern.lastIndex = from;
    this.at = pattern.exec(this.text)?.index ?? this.text.length;
    return this.text.slice(from, this.at);
  }

  private close(quote: string): void {
    if (this.text[this.at] === quote) this.at += 1;
    else this.isComplete = false;
  }
}
