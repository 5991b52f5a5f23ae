import * as z from 'zod/mini';
import { escapeText, table } from '../text/markdown.js';
import { ANSWERS, CHECKS, type AnswerWord } from './checks.js';
import type { Evidence } from './evidence.js';

/** A release may add checks and fields. The version changes if a field changes its meaning or is removed. */
export const DOCTOR_VERSION = 1;

/** The report file of the doctor. */
export const DoctorSchema = z.object({
  version: z.literal(DOCTOR_VERSION),
  status: z.enum(ANSWERS),
  cliVersion: z.exactOptional(z.string()),
  platform: z.string(),
  model: z.string(),
  checks: z.array(
    z.object({ id: z.string(), question: z.string(), answer: z.enum(ANSWERS), detail: z.string() }),
  ),
});
export type DoctorReport = z.infer<typeof DoctorSchema>;

export function buildDoctorReport(
  evidence: Evidence,
  { platform, model }: Pick<DoctorReport, 'platform' | 'model'>,
): DoctorReport {
  const checks = CHECKS.map(({ id, question, answer }) => ({ id, question, ...answer(evidence) }));
  const version = 'version' in evidence.cli ? evidence.cli.version : undefined;
  return {
    version: DOCTOR_VERSION,
    status: worstOf(checks.map(({ answer }) => answer)),
    ...(version === undefined ? {} : { cliVersion: version }),
    platform,
    model,
    checks,
  };
}

const worstOf = (answers: readonly AnswerWord[]): AnswerWord =>
  (['fail', 'unknown'] as const).find((word) => answers.includes(word)) ?? 'pass';

const SHOWN: Readonly<Record<AnswerWord, string>> = { pass: 'pass', fail: '**fail**', unknown: 'unknown' };

const VERDICTS: Readonly<Record<AnswerWord, string>> = {
  pass: 'Everything that the action relies on holds here.',
  fail: 'Something that the action relies on does not hold here.',
  unknown: 'Nothing failed, but some answers are unknown.',
};

/** For the job summary. The details can contain text of the CLI and of the agent. */
export function renderDoctorReport({ status, cliVersion, platform, model, checks }: DoctorReport): string {
  const rows = checks.map(({ question, answer, detail }) => [
    escapeText(question),
    SHOWN[answer],
    escapeText(detail),
  ]);
  const setup = `CLI ${cliVersion ?? 'of an unknown build'} on ${platform}, model ${model}`;
  return [
    '## Doctor',
    `${VERDICTS[status]} ${escapeText(setup)}.`,
    table(['question', 'answer', 'what was seen'], rows),
  ].join('\n\n');
}
