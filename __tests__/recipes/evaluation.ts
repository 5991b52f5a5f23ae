import { Expression, github, type Template } from './workflow-file.js';

/** What expressions can see, by name: github, needs, steps, … as plain data. */
export type Contexts = Readonly<Record<string, unknown>>;
export interface Status {
  success: boolean;
  failure: boolean;
  cancelled: boolean;
}
type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

const NAMES = ['github', 'env', 'secrets', 'needs', 'steps', 'matrix', 'inputs', 'runner'];

/** Evaluates one expression with GitHub's own evaluator. */
export function evaluateExpression(text: string, contexts: Contexts, status?: Status): Plain {
  const { Lexer, Parser, Evaluator, data } = github();
  const truths = {
    success: status?.success ?? true,
    failure: status?.failure ?? false,
    cancelled: status?.cancelled ?? false,
    always: true,
  };
  const functions = Object.entries(truths).map(([name, truth]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(truth),
  }));
  const expression = new Parser(new Lexer(text).lex().tokens, NAMES, functions).parse();
  const dictionary = new data.Dictionary(
    ...NAMES.map((key) => ({ key, value: asData(contexts[key] ?? {}) })),
  );
  const called = new Map(functions.map((each) => [each.name, each]));
  return asPlain(new Evaluator(expression, dictionary, called).evaluate());
}

/** Whether a condition is true by GitHub's own rules. */
export function holds(condition: string, contexts: Contexts, status: Status): boolean {
  const value = evaluateExpression(condition, contexts, status);
  return value !== null && value !== '' && value !== 0 && value !== false;
}

/** A value with all its expressions replaced by their results. The results are not evaluated again. */
export function evaluate(template: Template, contexts: Contexts, status?: Status): Plain {
  if (template instanceof Expression) return evaluateExpression(template.text, contexts, status);
  if (Array.isArray(template)) return template.map((item) => evaluate(item, contexts, status));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, evaluate(value, contexts, status)]),
  );
}

/** A value as the text that the runner passes to a step. */
export function asText(value: Plain): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function evaluateTexts(template: Template, contexts: Contexts): Record<string, string> {
  const value = evaluate(template, contexts);
  return Object.fromEntries(Object.entries(value as Record<string, Plain>).map(([k, v]) => [k, asText(v)]));
}

type Data = Parameters<ReturnType<typeof github>['data']['Array']['prototype']['add']>[0];

function asData(value: unknown): Data {
  return JSON.parse(JSON.stringify(value), (key, item) => github().data.reviver(key, item)) as Data;
}

const asPlain = (value: Data): Plain =>
  JSON.parse(JSON.stringify(value, (key, item: unknown) => github().data.replacer(key, item))) as Plain;
