import { spawn } from 'node:child_process';

export interface Ended {
  code: number | null;
  /** What it printed, both streams in the order they came. */
  log: string;
}

/** Runs a program to its end, with exactly this environment. */
export function runChild(
  [program = '', ...args]: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Promise<Ended> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (log += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    child.on('error', failed);
    child.on('close', (code) => {
      done({ code, log });
    });
  });
}
