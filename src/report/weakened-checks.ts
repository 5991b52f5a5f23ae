import type { FileDiff } from '../git/diff.js';
import { plural } from '../text/format.js';
import type { WeakenedCheck } from './model.js';

/**
 * Finds places where a change makes a check weaker, by simple rules over the diff. It knows no syntax, so it is a hint
 * for a reader and decides nothing.
 */
export function findWeakenedChecks(files: readonly FileDiff[]): WeakenedCheck[] {
  const added = new Set(files.flatMap((file) => namesIn(linesOf(file, 'added'))));
  return files.flatMap((file) => weakenedIn(file, added)).slice(0, MOST);
}

const MOST = 100;
const LONGEST_LINE = 2000;

interface PlacedLine {
  line: number;
  text: string;
}

/** The added or the removed lines of a file. A longer line is no source text. */
function linesOf({ hunks }: FileDiff, kind: 'added' | 'removed'): PlacedLine[] {
  return hunks
    .flatMap(({ lines }) => lines)
    .flatMap((line) =>
      line.kind === kind && line.text.length <= LONGEST_LINE
        ? [{ line: line.kind === 'added' ? line.new : line.old, text: line.text }]
        : [],
    );
}

/** Folders and names that test runners look for. */
const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]*\.py$|(?:^|\/)conftest\.py$|_test\.(?:go|py|exs?|dart)$|(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|cs|swift|php)$|_spec\.rb$/;

function weakenedIn(file: FileDiff, addedNames: ReadonlySet<string>): WeakenedCheck[] {
  const { path, status } = file;
  const isTest = TEST_FILE.test(file.oldPath ?? path);
  if (status === 'deleted') {
    const gone = namesIn(linesOf(file, 'removed'));
    const isMoved = gone.length > 0 && gone.every((name) => addedNames.has(name));
    return isTest && !isMoved ? [{ path, what: 'a file with tests was deleted' }] : [];
  }
  const [added, removed] = [linesOf(file, 'added'), linesOf(file, 'removed')];
  const kept = new Set(removed.map(({ text }) => normal(text)));
  const fresh = added.filter(({ text }) => !kept.has(normal(text)));
  const lostTests = isTest ? removedTests(path, { added, removed, addedNames }) : [];
  // With a test its assertions go too, so those are compared only if no test is gone.
  const lostAssertions = isTest && lostTests.length === 0 ? fewerAssertions(path, { added, removed }) : [];
  return [
    ...fresh.flatMap(({ line, text }) => {
      const rule = ADDED.find(
        ({ signs, where }) => where(path, isTest) && signs.some((sign) => sign.test(text)),
      );
      return rule ? [{ path, line, what: rule.what }] : [];
    }),
    ...lostTests,
    ...lostAssertions,
    ...weakerNumbers(path, isTest, { added, removed }),
  ];
}

const normal = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Whether a rule applies to a file. `isTest`: it is a file that test runners look for. */
type Where = (path: string, isTest: boolean) => boolean;

const inTests: Where = (path, isTest) => isTest || /\.(?:rs|exs?)$/.test(path);
const inCode: Where = (path) => !/\.(?:md|markdown|rst|txt|adoc)$/i.test(path);
const inWorkflows: Where = (path) => /\.ya?ml$/.test(path);
const inCommands: Where = (path) =>
  /\.(?:ya?ml|sh|bash|mk|toml|cfg|ini)$|(?:^|\/)(?:package\.json|Makefile|justfile|Taskfile\.ya?ml|tox\.ini|noxfile\.py|Dockerfile)$/.test(
    path,
  );
const inCoverage: Where = (path) =>
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini|\.coveragerc|\.?codecov\.ya?ml|Makefile|pom\.xml|build\.gradle(?:\.kts)?)$|(?:jest|vitest|vite|nyc|c8|karma|coverage|sonar)[^/]*$|\.ya?ml$/i.test(
    path,
  );
const inTestsOrCoverage: Where = (path, isTest) => isTest || inCoverage(path, isTest);
const everywhere: Where = () => true;

interface AddedRule {
  where: Where;
  signs: readonly RegExp[];
  what: string;
}

/** What an added line can do. The first rule that fits counts. */
const ADDED: readonly AddedRule[] = [
  {
    where: inTests,
    signs: [
      /\b(?:it|test|describe|context|suite|specify)\.(?:skip|todo|fixme|failing)\b/,
      /(?:^|[^\w.])(?:xit|xtest|xdescribe|xcontext|xspecify)\s*[.(]/,
    ],
    what: 'a test is skipped',
  },
  {
    where: inTests,
    signs: [/\b(?:it|test|describe|context)\.only\b|(?:^|[^\w.])(?:fit|fdescribe)\s*\(/],
    what: 'only some tests are run',
  },
  {
    where: inTests,
    signs: [
      /@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip\w*|expectedFailure))\b|\bpytest\.skip\s*\(|\bself\.skipTest\s*\(/,
      /\b[tb]\.Skip(?:f|Now)?\s*\(/,
      /^\s*@(?:Disabled\w*|Ignore)\b|\bAssumptions?\.assume\w*\s*\(/,
      /^\s*#\[ignore\b/,
      /^\s*\[(?:Ignore|Fact\(Skip|Theory\(Skip)/,
      /^\s*(?:skip|pending)\b(?:\s*\(|\s*['"]|\s*$)|\bmarkTestSkipped\s*\(|@tag :skip\b/,
    ],
    what: 'a test is skipped',
  },
  {
    where: inWorkflows,
    signs: [/^\s*(?:-\s*)?continue-on-error\s*:\s*(?:true|['"]true)/],
    what: 'a failure of this step no longer counts (continue-on-error)',
  },
  {
    where: inWorkflows,
    signs: [/^\s*allow_failure\s*:\s*true/],
    what: 'a failure of this job no longer counts (allow_failure)',
  },
  {
    where: inCommands,
    signs: [/\|\|\s*(?:true|:|exit 0)(?=\s|["';)&|]|$)/],
    what: 'a failure of this command no longer counts (|| true)',
  },
  { where: inCommands, signs: [/--pass-?with-?no-?tests\b/i], what: 'a run without tests now passes' },
  {
    where: inCommands,
    signs: [
      /(?:^|\s)(?:--no-verify|--exit-zero|-DskipTests|-Dmaven\.test\.skip|-DtestFailureIgnore|--deselect|--testPathIgnorePatterns)\b/,
    ],
    what: 'a check is switched off on the command line',
  },
  {
    where: inCommands,
    signs: [/["']?passWithNoTests["']?\s*[:=]\s*true/],
    what: 'a run without tests now passes',
  },
  { where: inCode, signs: [/\bpassWithNoTests\s*:\s*true/], what: 'a run without tests now passes' },
  {
    where: inCode,
    signs: [
      /\b(?:eslint|oxlint)-disable\b|@ts-(?:ignore|nocheck|expect-error)\b|\bbiome-ignore\b|\bprettier-ignore\b/,
    ],
    what: 'a rule of the linter or the compiler is switched off',
  },
  {
    where: inCode,
    signs: [/#\s*(?:noqa\b|type:\s*ignore\b|pylint:\s*disable|pragma:\s*no cover|nosec\b|rubocop:disable)/],
    what: 'a rule of the linter or the type checker is switched off',
  },
  {
    where: inCode,
    signs: [
      /\/\/\s*nolint\b|\/\/\s*NOSONAR\b|@SuppressWarnings\b|^\s*#!?\[allow\(|\bistanbul ignore\b|\bc8 ignore\b|#pragma warning disable\b/,
    ],
    what: 'a warning is switched off',
  },
  {
    where: inCode,
    signs: [/^\s*["'][@\w/-]+["']\s*:\s*(?:\[\s*)?(?:["']off["']|0)\s*[,\]}]?\s*,?\s*$/],
    what: 'a rule is switched off',
  },
];

/** How languages name a test. The name is the second group: the first is the quotation mark, if it has one. */
const TEST_NAME = [
  /(?:^|[^\w.$])(?:it|test|describe|specify|scenario)(?:\.\w+)*\s*\(\s*(["'`])((?:(?!\1).){1,300})\1/,
  /^\s*(?:async\s+)?def\s+()(test\w*)\s*\(/,
  /^\s*func\s+(?:\([^)]{0,100}\)\s*)?()((?:Test|Benchmark|Fuzz|Example)\w*)\s*\(/,
  /^\s*(?:(?:public|private|protected|internal|static|final|async|void|fun|Task)\s+)+()(\w*[Tt]est\w*|should\w+)\s*\(/,
  /^\s*()((?:pub\s+)?(?:async\s+)?fn\s+test\w*)\s*\(/,
];

const testName = (text: string): string | undefined =>
  TEST_NAME.map((shape) => shape.exec(text)?.[2]).find((name) => name !== undefined);

const namesIn = (lines: readonly PlacedLine[]): string[] => lines.flatMap(({ text }) => testName(text) ?? []);

/** Tests that are gone. A test that only got another name is not: so it counts how many there are fewer. */
function removedTests(
  path: string,
  { added, removed, addedNames }: Sides & { addedNames: ReadonlySet<string> },
): WeakenedCheck[] {
  const before = new Set(namesIn(removed));
  const renamed = new Set(namesIn(added).filter((name) => !before.has(name)));
  const gone = removed.flatMap(({ line, text }) => {
    const name = testName(text);
    return name === undefined || addedNames.has(name) ? [] : [{ line, name }];
  });
  const [first] = gone;
  const fewer = gone.length - renamed.size;
  if (!first || fewer <= 0) return [];
  const names = gone.slice(0, MOST_NAMED).map(({ name }) => name);
  const which = `${names.join(', ')}${gone.length > names.length ? ' and more' : ''}`;
  return [{ path, line: first.line, what: `${plural(fewer, 'test')} fewer: ${which}` }];
}

const MOST_NAMED = 3;

const ASSERTION =
  /\b(?:expect|assert\w*|should|verify|refute|check|require)\s*[.!(]|^\s*assert\s|\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\.should\b|\.to(?:Be|Equal|Throw|Have|Match)\w*\(/;

const assertions = (lines: readonly PlacedLine[]): PlacedLine[] =>
  lines.filter(({ text }) => ASSERTION.test(text) && !/\brequire\s*\(\s*["'`]/.test(text));

function fewerAssertions(path: string, { added, removed }: Sides): WeakenedCheck[] {
  const before = assertions(removed);
  const [first] = before;
  const fewer = before.length - assertions(added).length;
  return first && fewer > 0 ? [{ path, line: first.line, what: `${plural(fewer, 'assertion')} fewer` }] : [];
}

interface Sides {
  added: readonly PlacedLine[];
  removed: readonly PlacedLine[];
}

/** A number with a name, whose change in one direction makes a check weaker. */
interface NumberRule {
  where: Where;
  /** The name is the first group, the number the second. */
  shape: RegExp;
  weaker: 'lower' | 'higher';
  what: string;
}

const NUMBERS: readonly NumberRule[] = [
  {
    where: inCoverage,
    shape:
      /["']?\b(branches|functions|lines|statements|fail[_-]under|cov-fail-under|(?:coverage|min)\w*[_-]?(?:threshold|coverage|score|under)?|minimum|target)\b["']?\s*[:= >]\s*["']?(\d+(?:\.\d+)?)/i,
    weaker: 'lower',
    what: 'a threshold was lowered',
  },
  {
    where: everywhere,
    shape: /(--max-warnings|\bmax-?warnings\b|\bmax-(?:complexity|lines|depth))["']?\s*[:= ]\s*["']?(\d+)/i,
    weaker: 'higher',
    what: 'a threshold was raised',
  },
  {
    where: inTestsOrCoverage,
    shape:
      /\b((?:jest\.|test|hook)?(?:setTimeout|timeout)(?:-minutes|Seconds|Ms)?)\b["']?\s*[:=(]\s*["']?(\d[\d_]*)/i,
    weaker: 'higher',
    what: 'a time limit was raised',
  },
  {
    where: inTestsOrCoverage,
    shape: /\b(retries|retryTimes|reruns|max_attempts)\b["']?\s*[:=( ]\s*["']?(\d+)/i,
    weaker: 'higher',
    what: 'a test is repeated more often',
  },
];

/** Compares numbers of the same name, in the order in which they stand. */
function weakerNumbers(path: string, isTest: boolean, { added, removed }: Sides): WeakenedCheck[] {
  return NUMBERS.filter(({ where }) => where(path, isTest)).flatMap(({ shape, weaker, what }) => {
    const before = namedNumbers(removed, shape);
    return namedNumbers(added, shape).flatMap(({ line, name, value }) => {
      const index = before.findIndex((former) => former.name === name);
      const [former] = index < 0 ? [] : before.splice(index, 1);
      const isWeaker = former && (weaker === 'lower' ? value < former.value : value > former.value);
      return isWeaker ? [{ path, line, what: `${what}: ${name} from ${former.value} to ${value}` }] : [];
    });
  });
}

const namedNumbers = (lines: readonly PlacedLine[], shape: RegExp) =>
  lines.flatMap(({ line, text }) => {
    const [, name, digits] = shape.exec(text) ?? [];
    return name === undefined || digits === undefined
      ? []
      : [{ line, name, value: Number(digits.replaceAll('_', '')) }];
  });
