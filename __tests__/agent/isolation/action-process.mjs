/**
 * Plays the action's own process: a Node with secrets in its environment that starts an agent, isolated or bare,
 * through the real code (compiled beside it). Takes a job as JSON on stdin, answers with one line of JSON.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const job = JSON.parse(readFileSync(0, 'utf8'));
const load = (name) => import(pathToFileURL(join(job.modules, 'agent', name)).href);
const { isolateHere, probeIsolation } = await load('isolation/probe.js');

const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

async function run() {
  const sockets = await Promise.all(job.sockets.map(listen));
  // Somebody else's process on the same machine; it goes when this one is killed.
  const sentinel = spawn('setpriv', ['--pdeathsig=KILL', 'sleep', '1000'], { stdio: 'ignore' });
  const fill = (text) =>
    text.replaceAll('SENTINEL_PID', String(sentinel.pid)).replaceAll('ACTION_PID', String(process.pid));
  const spec = { ...job.spec, args: job.spec.args.map(fill) };
  const isolated = job.how === 'bare' ? spec : isolateHere(spec, job.places, job.how);
  const result = job.limits ? await runWatched(isolated, job.limits) : await runPlainly(isolated);
  const isSentinelAlive = sentinel.exitCode === null && sentinel.signalCode === null;
  sentinel.kill('SIGKILL');
  for (const socket of sockets) socket.close();
  answer({ ...result, isSentinelAlive });
}

function listen(path) {
  return new Promise((done) => {
    const server = createServer((connection) => connection.end('reached'));
    server.listen(path, () => done(server));
  });
}

/** Nothing but the start: whatever ends the agent's leftovers here is the isolation itself. */
function runPlainly(spec) {
  const { file, args, cwd, env, input } = spec;
  const child = spawn(file, args, { cwd, env, detached: true });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const out = [];
  const err = [];
  let isTold = false;
  child.stdout.on('data', (chunk) => {
    out.push(chunk);
    if (isTold || !job.onReady || !Buffer.concat(out).includes('ready\n')) return;
    isTold = true;
    if (job.onReady === 'tell') answer({ ready: child.pid });
    else process.kill(-child.pid, job.onReady);
  });
  child.stderr.on('data', (chunk) => err.push(chunk));
  return new Promise((done) => {
    child.on('close', (code, signal) => {
      const text = (chunks) => Buffer.concat(chunks).toString('utf8');
      done({ code, signal, stdout: text(out), stderr: text(err) });
    });
  });
}

/** With the watchdogs of a real run. */
async function runWatched(spec, limits) {
  const { runProcess } = await load('process.js');
  const out = [];
  const watcher = {
    onStdout: (chunk) => out.push(chunk),
    onStderr: () => undefined,
    hasResult: () => false,
    patienceMs: () => Infinity,
  };
  const exit = await runProcess(spec, watcher, {
    ...limits,
    cancel: new globalThis.AbortController().signal,
  });
  return { exit, stdout: Buffer.concat(out).toString('utf8') };
}

if (job.how === 'probe') answer(probeIsolation(job.places));
else await run();
