import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './workspace.js';

/**
 * The beginning of a command, for `before` of a step: a machine with this script in the place of `unshare`. In it, `$real` is
 * the real one, and `$count` says how often it was started before.
 */
export function withUnshare(script: string): string[] {
  const folder = makeFolder('programs');
  const [program, real, counter] = ['program', 'unshare', 'counter'].map((name) => join(folder, name));
  copyFileSync('/usr/bin/unshare', real!);
  const begin = [
    '#!/bin/sh',
    `count=$(cat ${counter} 2>/dev/null || echo 0)`,
    `echo $((count + 1)) >${counter}`,
    `real=${real}`,
  ];
  writeFileSync(program!, [...begin, script, ''].join('\n'), { mode: 0o755 });
  // By Node: a shell would drop the inputs, whose names are no names of variables to it.
  const replace = `const { execFileSync, spawnSync } = require('node:child_process');
    execFileSync('mount', ['--bind', process.argv[1], '/usr/bin/unshare']);
    process.exit(spawnSync(process.argv[2], process.argv.slice(3), { stdio: 'inherit' }).status ?? 1);`;
  return ['unshare', '--mount', '--', process.execPath, '-e', replace, '--', program!];
}

/** A script for `unshare` that works a few times, as while the machine is tried, and then does something else. */
export const worksTimes = (times: number, then: string): string =>
  `[ "$count" -ge ${times} ] || exec "$real" "$@"\n${then}`;

export const NOT_PERMITTED = 'echo "unshare: not permitted" >&2; exit 1';
