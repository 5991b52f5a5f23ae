import childProcess from 'node:child_process';
import fs from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a traced executor looks at: paths, each as it asks for it, and the programs that it starts. */
export interface Trace {
  paths: string[];
  programs: string[][];
}

/**
 * Notes every path that goes through Node's file functions from now on, whether there is such a file or not. What other
 * programs read is not seen, so their command lines are noted.
 */
export function startTrace(): () => Trace {
  const paths = new Set<string>();
  const programs: string[][] = [];
  const notePath = ([path]: unknown[]) => {
    if (typeof path === 'string' || Buffer.isBuffer(path)) paths.add(resolve(String(path)));
    else if (path instanceof URL && path.protocol === 'file:') paths.add(fileURLToPath(path));
  };
  const noteProgram = ([given]: unknown[]) => {
    const { file, args = [] } = given as { file: string; args?: string[] };
    programs.push([file, ...args.slice(1)]);
  };
  watch(fs, notePath);
  watch(fs.promises, notePath);
  watch(fs.realpath, notePath);
  watch(fs.realpathSync, notePath);
  // Every way to start a program comes through here, except those that wait for its end.
  watch(childProcess.ChildProcess.prototype, noteProgram, ['spawn']);
  const noteWaiting = ([file, args]: unknown[]) => {
    programs.push([String(file), ...(Array.isArray(args) ? args.map(String) : [])]);
  };
  watch(childProcess, noteWaiting, ['spawnSync', 'execFileSync', 'execSync']);
  return () => ({ paths: [...paths], programs });
}

/** Replaces the functions of an object by ones that note their arguments. Everything else about them stays. */
function watch(object: object, note: (args: unknown[]) => void, names = Object.keys(object)): void {
  const functions = object as Record<string, unknown>;
  for (const name of names) {
    const value = functions[name];
    const isClass = /^[A-Z]/.test(name);
    if (typeof value !== 'function' || isClass) continue;
    functions[name] = new Proxy(value, {
      apply(target, self, args: unknown[]) {
        note(args);
        return Reflect.apply(target, self, args) as unknown;
      },
    });
  }
}
