// Runs every check of `npm test`. The static checks run one after another beside the tests, because tests that wait for
// a process leave part of the machine idle. The output of a static check is shown when it ends.
import { spawn } from 'node:child_process';

const STATIC = ['typecheck', 'lint', 'format:check', 'build:check'];

const results = await Promise.all([runAll(STATIC), run('jest', 'inherit')]);
const failed = results.flat().filter(({ ok }) => !ok);
if (failed.length > 0) console.error(`Failed: ${failed.map(({ name }) => name).join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function runAll(names) {
  const done = [];
  for (const name of names) {
    const result = await run(name, 'pipe');
    console.log(
      `== npm run ${name}: ${result.ok ? 'passed' : 'FAILED'}, ${result.seconds} s\n${result.output}`,
    );
    done.push(result);
  }
  return done;
}

function run(name, stdio) {
  const start = Date.now();
  // A shell, because on Windows npm is a script.
  const child = spawn(`npm run --silent ${name}`, { shell: true, stdio: ['ignore', stdio, stdio] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => {
      done({ name, ok: code === 0, output, seconds: Math.round((Date.now() - start) / 1000) });
    });
  });
}
