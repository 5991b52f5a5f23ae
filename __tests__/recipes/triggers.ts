import type { RecipeEvent } from './events.js';
import type { Workflow } from './workflow-file.js';

interface Filters {
  types?: string[];
  branches?: string[];
  'branches-ignore'?: string[];
  paths?: string[];
  'paths-ignore'?: string[];
  workflows?: string[];
}

/** GitHub's default types for a workflow that names none. */
const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
};

/** Whether an event triggers a workflow, by the filters of its `on`. */
export function isTriggered({ events }: Workflow, event: RecipeEvent): boolean {
  if (!Object.hasOwn(events, event.name)) return false;
  const filters = (events[event.name] ?? {}) as Filters;
  const types = filters.types ?? DEFAULT_TYPES[event.name];
  const { action } = event.payload;
  if (types && typeof action === 'string' && !types.includes(action)) return false;
  const run = event.payload['workflow_run'] as { name: string } | undefined;
  if (filters.workflows && !filters.workflows.includes(run?.name ?? '')) return false;
  if (filters.branches && !passes(filters.branches, event.branch)) return false;
  if (filters['branches-ignore'] && passes(filters['branches-ignore'], event.branch)) return false;
  if (filters.paths && !event.paths.some((path) => passes(filters.paths ?? [], path))) return false;
  const ignored = filters['paths-ignore'];
  return !ignored || event.paths.some((path) => !passes(ignored, path));
}

/** Later patterns win; `!` excludes again. */
const passes = (patterns: readonly string[], text: string): boolean =>
  patterns.reduce((matched, pattern) => {
    const isBack = pattern.startsWith('!');
    return filterTest(isBack ? pattern.slice(1) : pattern).test(text) ? !isBack : matched;
  }, false);

/** GitHub's filter patterns: `*` does not match slashes, `**` does. */
function filterTest(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|[\\^$.|()[\]{}]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    return token === '*' ? '[^/]*' : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}
