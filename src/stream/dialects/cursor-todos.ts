import type { AgentEvent, Todo, TodoStatus, WireRecord } from '../events.js';
import { booleanAt, entryOf, firstTextAt, head, isRecord, listAt, numberAt, recordAt } from '../record.js';

const MOST_TODOS = 200;
const TODO_CHARACTERS = 300;

const STATUS: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  in_progress: 'in-progress',
  completed: 'done',
  cancelled: 'cancelled',
};

/**
 * The plan an updateTodos call carries: its result holds the whole of it, its arguments perhaps only changes.
 * A result that counts more entries than it lists holds only changes too.
 */
export function readTodos(args: WireRecord | undefined, result: unknown): AgentEvent[] {
  const success = isRecord(result) ? recordAt(result, 'success') : undefined;
  if (isRecord(result) && !success) return [];
  const listed = listAt(success, 'todos');
  const given = listed ?? listAt(args, 'todos');
  if (!given) return [];
  const isWhole = listed !== undefined && (numberAt(success, 'totalCount') ?? 0) <= listed.length;
  const todos = given
    .slice(0, MOST_TODOS)
    .flatMap((entry, index) => (isRecord(entry) ? [readTodo(entry, index)] : []));
  const merge = !isWhole && (listed !== undefined || booleanAt(args, 'merge') === true);
  return [{ type: 'todos', todos, merge }];
}

function readTodo(entry: WireRecord, index: number): Todo {
  const status = (firstTextAt(entry, 'status') ?? '').replace(/^TODO_STATUS_/, '').toLowerCase();
  return {
    id: head(firstTextAt(entry, 'id') ?? String(numberAt(entry, 'id') ?? index), 100),
    text: head(firstTextAt(entry, 'content', 'text', 'title') ?? '', TODO_CHARACTERS),
    status: entryOf(STATUS, status) ?? 'pending',
  };
}
