/** The lists of steps that the workers of a run keep. */
import type { AnyEvent } from "../any-event.ts";
import type { Todo } from "./todo.ts";

/** A list as it was last written. Plain JSON. */
interface TodoList {
  readonly todos: readonly Todo[];
  /** In which it was written. */
  readonly iteration: number;
  /** Hash of the task's text at that time: with a new text it may not fit any more. */
  readonly task: string;
  /** ms since 1970. */
  readonly at: number;
}

/** By name of the worker, without workers that have no list. */
export type TodosOfRun = Readonly<Record<string, TodoList>>;

/** A worker wrote its whole list; an empty one deletes it. Stored in the journal. */
export type TodoEvent = { readonly kind: "TodosWritten"; readonly worker: string } & TodoList;

/** The list's work restarts, ended, or belongs to another worker now. (AX-8) */
interface TodoEnd {
  readonly kind: "WorkReset" | "WorkUndone" | "WorkAbandoned" | "TaskReassigned";
  readonly worker: string;
}

/** Adds an event. Total: a list that says nothing new changes nothing. */
export function reduceTodos(before: TodosOfRun, given: TodoEvent | TodoEnd | AnyEvent): TodosOfRun {
  const event = given as TodoEvent | TodoEnd;
  switch (event.kind) {
    case "TodosWritten":
      return event.todos.length === 0 ? withoutList(before, event.worker) : written(before, event);
    case "WorkReset":
    case "WorkUndone":
    case "WorkAbandoned":
    case "TaskReassigned":
      return withoutList(before, event.worker);
    default:
      return before;
  }
}

function withoutList(before: TodosOfRun, worker: string): TodosOfRun {
  if (!Object.hasOwn(before, worker)) return before;
  const { [worker]: _, ...others } = before;
  return others;
}

function written(before: TodosOfRun, event: TodoEvent): TodosOfRun {
  const { worker } = event;
  const known = Object.hasOwn(before, worker) ? before[worker] : undefined;
  const { todos, iteration, task, at } = event;
  if (known && known.task === task && JSON.stringify(known.todos) === JSON.stringify(todos)) return before;
  return { ...before, [worker]: { todos, iteration, task, at } };
}
