/** The lists of steps that the workers of a run keep. */
import type { Todo } from "./todo.ts";

/** A list as it was last written. Plain JSON. */
interface TodoList {
  readonly todos: readonly Todo[];
  /** In which it was written. */
  readonly iteration: number;
  /** Hash of the words of the task for which it was written: with other words it may not fit any more. */
  readonly task: string;
  /** ms since 1970. */
  readonly at: number;
}

/** By name of the worker; nobody stands here who has no list. */
export type TodosOfRun = Readonly<Record<string, TodoList>>;

/** A worker wrote its whole list; an empty one takes it back. Kept in the journal. */
export type TodoEvent = { readonly kind: "TodosWritten"; readonly worker: string } & TodoList;

/** What ends a list with the work that it was about: it begins anew, or is nobody's, or somebody else's. (AX-8) */
export type TodoEnd = {
  readonly kind: "WorkReset" | "WorkUndone" | "WorkAbandoned" | "TaskReassigned";
  readonly worker: string;
};

/** Adds an event. Total: a list that says nothing new changes nothing. */
export function reduceTodos(before: TodosOfRun, event: TodoEvent | TodoEnd): TodosOfRun {
  const { worker } = event;
  const known = Object.hasOwn(before, worker) ? before[worker] : undefined;
  if (event.kind !== "TodosWritten" || event.todos.length === 0) {
    if (known === undefined) return before;
    const { [worker]: _, ...others } = before;
    return others;
  }
  const { todos, iteration, task, at } = event;
  if (known && known.task === task && JSON.stringify(known.todos) === JSON.stringify(todos)) return before;
  return { ...before, [worker]: { todos, iteration, task, at } };
}
