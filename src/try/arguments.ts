/** The options of `npm run try`, from its command line. */
export interface Request {
  kind: 'demo' | 'real' | 'replay' | 'doctor';
  /** Inputs of action.yml that were given; for the doctor, of doctor/action.yml. */
  inputs: Record<string, string>;
  /** Where to save the stream. */
  record?: string;
  /** The stream to play. */
  replay?: string;
  /** Opens the page in the browser. */
  open: boolean;
  /** Shows what is inside of the groups of the log, and all outputs. */
  verbose: boolean;
}

type ParsedArguments = Request | { kind: 'help' } | { kind: 'version' } | { problem: string };

const OWN = ['record', 'replay'];
const FLAGS = ['doctor', 'open', 'verbose'];

/** `--name value` or `--name=value` for every input of action.yml, and options of `npm run try` itself. */
export function parseArguments(args: readonly string[], inputNames: readonly string[]): ParsedArguments {
  const inputs = new Map<string, string>();
  const own = new Map<string, string>();
  const flags = new Set<string>();
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '--help' || argument === '-h') return { kind: 'help' };
    if (argument === '--version') return { kind: 'version' };
    const [, name = '', attached] = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (FLAGS.includes(name) && attached === undefined) {
      flags.add(name);
      continue;
    }
    if (!(OWN.includes(name) || inputNames.includes(name))) {
      return { problem: `Cannot read ${JSON.stringify(argument)}; see npm run try -- --help.` };
    }
    const value = attached ?? args[(index += 1)];
    if (value === undefined) return { problem: `--${name} needs a value.` };
    (OWN.includes(name) ? own : inputs).set(name, value);
  }
  return requestFrom(inputs, own, flags);
}

function requestFrom(
  inputs: ReadonlyMap<string, string>,
  own: ReadonlyMap<string, string>,
  flags: ReadonlySet<string>,
): ParsedArguments {
  const [record, replay] = [own.get('record'), own.get('replay')];
  if (replay !== undefined && inputs.has('cli-path'))
    return { problem: '--replay plays a stream instead of a CLI; leave --cli-path out.' };
  if (replay !== undefined && flags.has('doctor'))
    return { problem: '--doctor checks a real CLI; leave --replay out.' };
  const real = inputs.size > 0 ? 'real' : 'demo';
  return {
    kind: flags.has('doctor') ? 'doctor' : replay !== undefined ? 'replay' : real,
    inputs: Object.fromEntries(inputs),
    ...(record === undefined ? {} : { record }),
    ...(replay === undefined ? {} : { replay }),
    open: flags.has('open'),
    verbose: flags.has('verbose'),
  };
}

export const HELP = `Runs the action here as a runner would: each step as it happens, the answer, and what changed.

  npm run try                                   the demo: no key, no network, nothing installed
  npm run try -- --prompt "…" --preset docs     the real agent on the current folder; the key is taken from
                                                CURSOR_API_KEY, the CLI from PATH, or a pinned one is installed
  npm run try -- --replay in.ndjson             plays a recorded stream, in a folder of its own; give the preset that
                                                the run had, because it is judged by its rules
  npm run try -- --doctor                       checks what the action relies on, with the real CLI and key; starts
                                                the agent three times, which costs a few cents

  --open                opens the page with every tool call in the browser
  --verbose             shows all rules of the agent, all groups of the log and all outputs
  --record out.ndjson   keeps the agent's stream, redacted, to be sent with a bug report
  --version, --help

Every input of action.yml is an option, too: --model, --allow, --timeout-minutes, … With --doctor, every input of
doctor/action.yml is.`;
