import type { AgentEvent, Todo, TodoStatus, WireRecord } from '../events.js';
import { booleanAt, entryOf, firstTextAt, head, isRecord, listAt, recordAt } from '../record.js';

const MOST_TODOS = 200;
const TODO_CHARACTERS = 300;

const STATUS: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  in_progress: 'in-progress',
  completed: 'done',
  cancelled: 'cancelled',
};

/** The plan an updateTodos call carries: its result holds the whole of it, its arguments perhaps only changes. */
export function readTodos(args: WireRecord | undefined, result: WireRecord | undefined): AgentEvent[] {
  const whole = listAt(recordAt(result, 'success'), 'todos');
  const given = whole ?? listAt(args, 'todos');
  if (!given) return [];
  const todos = given
    .slice(0, MOST_TODOS)
    .flatMap((entry, index) => (isRecord(entry) ? [readTodo(entry, index)] : []));
  return [{ type: 'todos', todos, merge: whole === undefined && booleanAt(args, 'merge') === true }];
}

function readTodo(entry: WireRecord, index: number): Todo {
  const status = (firstTextAt(entry, 'status') ?? '').replace(/^TODO_STATUS_/, '').toLowerCase();
  return {
    id: firstTextAt(entry, 'id') ?? String(index),
    text: head(firstTextAt(entry, 'content', 'text', 'title') ?? '', TODO_CHARACTERS),
    status: entryOf(STATUS, status) ?? 'pending',
  };
}
