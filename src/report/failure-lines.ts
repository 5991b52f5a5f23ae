import { ANSI, CONTROL } from '../text/plain-text.js';

/** A line of the output of a check that names a test that failed, or an error. */
export interface FailureLine {
  kind: 'test' | 'test-file' | 'error';
  /** As people read it. */
  text: string;
  /** Equal for the same failure on another machine and at another time. */
  key: string;
}

/** How programs name a test that failed. The first group is its name. */
const FAILED_TESTS: readonly RegExp[] = [
  /^\s*not ok \d+ (?:- )?(?!.*# (?:SKIP|TODO)\b)(.+)$/i,
  /^\s*[✖✕✗×]\s+(?!failing tests:)(.+)$/,
  /^\s*●\s+(.+)$/,
  /^(?:FAILED|ERROR)\s+(\S+::\S.*?)(?:\s+-\s.*)?$/,
  /^_{3,}\s+(?!summary)(\S.*?)\s+_{3,}$/,
  /^(?:FAIL|ERROR):\s+(\S+ \(.+\))$/,
  /^\s*--- FAIL:\s+(\S+)/,
  /^test (\S+)(?: - should panic)? \.\.\. FAILED$/,
  /^\[ERROR\]\s+(\w+(?:\.\w+)*(?:\(.*?\))?:\d+)\b/,
  /^(\S+ > .+) FAILED$/,
  /^rspec (\.\/\S+)/,
  /^\s{0,4}\d+\) (\S.*)$/,
  /^\s*Failed ([\w.]+(?:\(.*\))?) \[/,
];

/** A file in which a test failed. */
const FAILED_FILE = /^\s*(?:FAIL|❯)\s+(\S+\.\w+)(?:\s.*)?$/;

const ERROR =
  /\b(?:error|fatal|panic(?:ked)?|exception|assert\w*|traceback|undefined|unresolved|mismatch(?:ed)?|expected|not found|cannot find|could not|no such file|no module named|failed|failure)\b|\b[A-Z]\w*(?:Error|Exception)\b/i;

/** Lines that stand in the output of every failure, so they do not say which one it is. */
const GENERIC: readonly RegExp[] = [
  /^Process completed with exit code\b/i,
  /^(?:npm|pnpm|yarn)\b.*\b(?:ERR!?|error)\b/i,
  /^command failed(?: with)?\b.*\bexit code\b/i,
  /^(?:exit status|exit code|status code) \d+$/i,
  /^make(?:\[\d+\])?: \*\*\*/,
  /\btest failed, to rerun pass\b|^test result: FAILED\b|\bcould not compile\b|\bprevious errors?\b|^failures:$/,
  /^\[ERROR\]\s*(?:$|-> \[|Failed to execute goal|To see the full|Re-run Maven|For more information|There are test failures|Please refer|Failures:|Errors:|Tests run:|Tests:|After correcting)/,
  /^\[INFO\] BUILD FAILURE$|^BUILD FAILED\b|^FAILURE: Build failed\b|^Execution failed for task\b/,
  /^(?:#|ℹ|Tests?|Test Suites?|Suites|Snapshots?)\b.*\d+ (?:failed|failures?)|^# fail \d+$|^FAILED \(.*\)$/i,
  /^=+ .* =+$|^=+$|^-+$/,
  /^\d+ (?:tests? )?(?:failed|failing|errors?|failures?|problems?)\b/i,
  /^FAIL(?:ED)?$|^Failed(?: tests?)?:?$|^Errors?:?$|^ERRORS?!*$|^expected$|^failed$|^failures?:?$|^exit code: \d+$/i,
  /^(?:the )?process ['"].*['"] failed with exit code \d+/i,
  /^(?:\w+: )?AssertionError\b.{0,20}:?$|Expected values to be\b|^Traceback \(most recent|^Caused by:$|^error:? ?['"]?$/,
  /^(?:code|failureType|type|name|severity): ['"]?\w+['"]?,?$/,
];

/** A log has a few hundred of them at most. */
const MAX_LINES = 500;
const MAX_LENGTH = 500;
/** Shorter lines occur by chance. */
const MIN_WORDS = 3;

/** The lines that name failures, in their order, each failure once. */
export function failureLines(output: string): FailureLine[] {
  const lines = new Map<string, FailureLine>();
  for (const line of output.split('\n')) {
    const failure = readLine(line);
    if (failure && !lines.has(failure.key)) lines.set(failure.key, failure);
    if (lines.size === MAX_LINES) break;
  }
  return [...lines.values()];
}

function readLine(line: string): FailureLine | undefined {
  const text = withoutPrefix(line).slice(0, MAX_LENGTH);
  const plain = text.trim();
  if (plain === '' || GENERIC.some((shape) => shape.test(plain))) return undefined;
  const name = FAILED_TESTS.map((shape) => shape.exec(text)?.[1]).find((group) => group !== undefined);
  if (name !== undefined) {
    const key = normalise(name);
    return key === '' ? undefined : { kind: 'test', text: plain, key: `test ${key}` };
  }
  const file = FAILED_FILE.exec(text)?.[1];
  if (file !== undefined) return { kind: 'test-file', text: plain, key: `file ${normalise(file)}` };
  const key = normalise(plain);
  return ERROR.test(plain) && key.split(' ').length >= MIN_WORDS
    ? { kind: 'error', text: plain, key }
    : undefined;
}

/** Every line of an output as a failure of another output would name it. */
export function lineKeys(output: string): Set<string> {
  return new Set(
    output.split('\n').flatMap((line) => [normalise(withoutPrefix(line).trim()), readLine(line)?.key ?? '']),
  );
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?/;
/** How the runner marks an error, in its log and in our copy of it. */
const MARK = /^\s*(?:##\[error\]|error: (?=Error\b)|error: )/;

const withoutPrefix = (line: string): string =>
  line.replace(ANSI, '').replace(CONTROL, '').replace(TIMESTAMP, '').replace(MARK, '');

/** Without what differs between machines and between runs: times, folders above the checkout, addresses, ids. */
function normalise(text: string): string {
  return text
    .replace(
      /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?\b|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g,
      '<time>',
    )
    .replace(/\s*[([]?\b\d+(?:[.,]\d+)?\s?(?:ms|µs|us|ns|s|sec|seconds|min|minutes)\b[)\]]?/g, '')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>')
    .replace(/\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/gi, '<id>')
    .replace(
      /(?:file:\/\/)?(?:[A-Za-z]:)?(?<![\w.])(?:[\\/][\w.@~+-]+)+[\\/](?=[\w.@~+-]+[\\/][\w.@~+-]+)/g,
      '',
    )
    .replace(/\b(localhost|127\.0\.0\.1|\[::1\]):\d+\b/g, '$1')
    .replace(/\\/g, '/')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a machine says that lacks a tool, a module or a service. */
const MISSING =
  /command not found|: not found$|cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|ModuleNotFoundError|no module named|no required module provides package|executable file not found|ClassNotFoundException|could not (?:resolve|find artifact)|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|getaddrinfo|connection refused|temporary failure in name resolution|can't connect to|could not connect/i;

/** The first line that says that something is missing here. */
export const missingLine = (output: string): FailureLine | undefined => {
  const line = output.split('\n').find((each) => MISSING.test(each));
  if (line === undefined) return undefined;
  const text = withoutPrefix(line).trim().slice(0, MAX_LENGTH);
  return { kind: 'error', text, key: normalise(text) };
};

/** Lines of real logs that say that the machine failed, and not what it was to check. */
const MACHINE: readonly RegExp[] = [
  // The runner is gone.
  /\blost communication with the server\b/i,
  /\bThe runner has received a shutdown signal\b/,
  /\bThe job was not acquired by Runner\b|\bjob was not started because (?:recent account payments|the account is locked)/,
  /^(?:The operation was canceled\.|The job was canceled\b.*)$/,
  // The disk is full.
  /\bNo space left on device\b|\bENOSPC\b|\bThere is not enough space on the disk\b/i,
  // A registry did not answer, or not now.
  /^npm (?:ERR!|error) (?:code (?:ETIMEDOUT|ECONNRESET|ECONNREFUSED|EAI_AGAIN|ENOTFOUND|E429|E50\d)|network )/,
  /\brequest to https:\/\/registry\.\S+ failed, reason: .*(?:ETIMEDOUT|ECONNRESET|EAI_AGAIN|socket hang up)/,
  /HTTPSConnectionPool\(host='(?:files\.pythonhosted\.org|pypi\.org)', port=443\): (?:Read timed out|Max retries exceeded)/,
  /\btoomanyrequests: /,
  /\bCould not transfer artifact .*(?:timed out|Connection reset|status(?: code)?:? (?:429|50\d))/i,
  /\bspurious network error\b|\bfailed to (?:get|download|fetch)\b.*\b(?:index|static)\.crates\.io\b/,
  /\bproxy\.golang\.org\b.*(?:i\/o timeout|connection refused|TLS handshake timeout|50\d )/,
  /^E: Failed to fetch \S+\s+.*(?:timed out|Connection failed|50\d )/,
  /\bunable to access 'https:\/\/github\.com\/.*(?:returned error: 50\d|Could not resolve host|timed out)/,
  /^(?:Gem::RemoteFetcher::FetchError|Bundler::HTTPError)\b/,
];

/** A job that took too long is also cancelled. That is no failure of the machine. */
const TOO_LONG = /\bhas exceeded the maximum execution time\b/;

/** The line that says that the machine failed. Undefined if a test failed as well. */
export function machineLine(output: string): string | undefined {
  if (TOO_LONG.test(output) || failureLines(output).some(({ kind }) => kind !== 'error')) return undefined;
  return output
    .split('\n')
    .map((line) =>
      withoutPrefix(line)
        .replace(/^- failure [^:]*:(?:\d+:)? /, '')
        .trim()
        .slice(0, MAX_LENGTH),
    )
    .find((line) => MACHINE.some((shape) => shape.test(line)));
}

/** The lines that a reader needs most: those that name failures, else the last one. */
export function keyLines(output: string, count: number): string[] {
  const failures = failureLines(output);
  const tests = failures.filter(({ kind }) => kind === 'test');
  const errors = failures.filter(({ kind }) => kind === 'error');
  const last = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const chosen = [...tests, ...errors].slice(0, count).map(({ text }) => text);
  return chosen.length > 0 || last === '' ? chosen : [last];
}
