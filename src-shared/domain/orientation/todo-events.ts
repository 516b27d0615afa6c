/** The lists of steps that the workers of a run keep. */
import type { AnyEvent } from "../any-event.ts";

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

export const todoStatuses = ["pending", "in_progress", "completed"] as const;
export type TodoStatus = (typeof todoStatuses)[number];

/** A step that an agent keeps for its task. `activeForm`: its text while it is done, "Writing the parser" for "Write the parser". (AX-3) */
export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
  readonly activeForm: string;
}

/** What a prompt and a card have room for. */
export const todoLimits = { items: 50, characters: 300 } as const;

/**
 * What is wrong with a list.
 *
 * @param todos the whole list
 * @returns a message for the model that wrote it; null if it is valid
 */
export function todosProblem(todos: readonly Todo[]): string | null {
  if (todos.length > todoLimits.items)
    return `The list has ${todos.length} items, and at most ${todoLimits.items} are kept. Put small steps together.`;
  for (const [place, { content, activeForm }] of todos.entries()) {
    const nth = `Item ${place + 1}`;
    if (content.trim() === "") return `${nth} has no content. Describe in a few words what is to be done.`;
    if (activeForm.trim() === "")
      return `${nth} has no activeForm. Write "${content}" in the present continuous: "Writing the parser" for "Write the parser".`;
    const longest = Math.max(content.length, activeForm.length);
    if (longest > todoLimits.characters)
      return `${nth} has ${longest} characters, and at most ${todoLimits.characters} are kept. Make it shorter.`;
  }
  const active = todos.flatMap(({ status, content }) => (status === "in_progress" ? [`"${content}"`] : []));
  return active.length > 1
    ? `${active.length} items are in_progress (${active.join(", ")}), and at most one can be: the one that you work on now. Leave the others pending.`
    : null;
}

/** How far a list is: "2 of 5", and what is being done now; null where nothing is. */
interface TodoProgress {
  readonly completed: number;
  readonly all: number;
  readonly active: string | null;
}

/** @returns null for an empty list, of which there is nothing to say */
export const todoProgress = (todos: readonly Todo[]): TodoProgress | null =>
  todos.length === 0
    ? null
    : {
        completed: todos.filter(({ status }) => status === "completed").length,
        all: todos.length,
        active: todos.find(({ status }) => status === "in_progress")?.activeForm ?? null,
      };

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
