import { splitDiff } from '../src/context/diff-text.js';
import { composePrompt, followUp, presetInstruction, presetTask } from '../src/context/prompt.js';

/**
 * The size of the prompt of a follow-up review, compared with that of a full one: a pull request of 40 files, and a push
 * that changes one hunk in two of them. Everything is counted in characters, so it is the same on every machine.
 */
const FILES = 40;
const HUNKS = 3;
const PUSHED = 2;
const MARK = 0.3;

const hunk = (file: number, index: number): string =>
  [
    `@@ -${index * 50 + 1},7 +${index * 50 + 1},8 @@ export function part${index}() {`,
    ...Array.from({ length: 3 }, (_, line) => ` const value${line} = compute(${file}, ${line});`),
    `-  return value0 + ${index};`,
    `+  if (value0 > ${index}) throw new Error('part ${index} of file ${file}');`,
    `+  return value0 + value1 + ${index};`,
    ...Array.from({ length: 3 }, (_, line) => ` // line ${line} after the change`),
  ].join('\n');
const diffOf = (file: number, hunks: number): string => {
  const path = `src/part-${file}.ts`;
  const body = Array.from({ length: hunks }, (_, index) => hunk(file, index)).join('\n');
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${body}\n`;
};

/** Short texts are part of the prompt; what is only in a file is counted too, because the agent reads it. */
function charactersOf(diff: string, isOnlyNew: boolean, earlier = ''): number {
  const texts = [
    { kind: 'diff' as const, text: diff },
    ...(earlier === '' ? [] : [{ kind: 'earlier-review' as const, text: earlier }]),
  ];
  const kinds = texts.map(({ kind }) => kind);
  return composePrompt({
    instruction: presetInstruction('review'),
    contexts: texts.map(({ kind, text }) => ({
      ...{ kind, description: kind, file: `/context/${kind}`, bytes: text.length },
      inline: { text, boundary: 'data' },
    })),
    follows: followUp(kinds, isOnlyNew),
    task: presetTask('review', kinds),
  }).length;
}

const whole = Array.from({ length: FILES }, (_, file) => diffOf(file, HUNKS)).join('');
const pushed = Array.from({ length: PUSHED }, (_, file) => diffOf(file, 1)).join('');
const earlier = `## 1. "src/part-0.ts", line 5\n\nState: open\n\n    ${'What was found. '.repeat(20)}\n`;
const [full, next] = [charactersOf(whole, false), charactersOf(pushed, true, earlier)];
const ratio = next / full;
process.stdout.write(
  `a full review: ${full} characters for ${splitDiff(whole).length} files\n` +
    `a follow-up:   ${next} characters for ${splitDiff(pushed).length} files and one earlier finding\n` +
    `follow-up / full: ${ratio.toFixed(2)} (at most ${MARK})\n`,
);
if (ratio > MARK) process.exitCode = 1;
