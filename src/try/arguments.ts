/** The options of `npm run try`, from its command line. */
export interface Request {
  kind: 'demo' | 'real' | 'replay';
  /** Inputs of action.yml that were given. */
  inputs: Record<string, string>;
  /** Where to save the stream. */
  record?: string;
  /** The stream to play. */
  replay?: string;
}

export type Parsed = Request | { kind: 'help' } | { problem: string };

const OWN = ['record', 'replay'];

/** `--name value` or `--name=value` for every input of action.yml, and options of `npm run try` itself. */
export function parseArguments(args: readonly string[], inputNames: readonly string[]): Parsed {
  const inputs = new Map<string, string>();
  const own = new Map<string, string>();
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '--help' || argument === '-h') return { kind: 'help' };
    const [, name, attached] = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (name === undefined || !(OWN.includes(name) || inputNames.includes(name))) {
      return { problem: `Cannot read ${JSON.stringify(argument)}; see npm run try -- --help.` };
    }
    const value = attached ?? args[(index += 1)];
    if (value === undefined) return { problem: `--${name} needs a value.` };
    (OWN.includes(name) ? own : inputs).set(name, value);
  }
  return requestFrom(inputs, own);
}

function requestFrom(inputs: Map<string, string>, own: Map<string, string>): Parsed {
  const [record, replay] = [own.get('record'), own.get('replay')];
  if (replay !== undefined && inputs.has('cli-path')) {
    return { problem: '--replay plays a stream instead of a CLI; leave --cli-path out.' };
  }
  return {
    kind: replay !== undefined ? 'replay' : inputs.size > 0 ? 'real' : 'demo',
    inputs: Object.fromEntries(inputs),
    ...(record === undefined ? {} : { record }),
    ...(replay === undefined ? {} : { replay }),
  };
}

export const HELP = `Runs the action here as a runner would, and shows its log, job summary and outputs.

  npm run try                                   the demo: no key, no network, nothing installed
  npm run try -- --prompt "…" --preset docs     the real agent on the current folder; the key is taken from
                                                CURSOR_API_KEY, the CLI from PATH, or a pinned one is installed
  npm run try -- … --record out.ndjson          keeps the agent's stream, redacted, to be sent with a bug report
  npm run try -- --replay in.ndjson             plays a stream that was kept, in an empty folder

Every input of action.yml is an option: --model, --allow, --timeout-minutes, …`;
