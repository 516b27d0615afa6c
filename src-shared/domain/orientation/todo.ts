/** The list of steps that an agent keeps for its task, in the format that agents know already. (AX-3) */

export const todoStatuses = ["pending", "in_progress", "completed"] as const;
export type TodoStatus = (typeof todoStatuses)[number];

/** `activeForm`: its text while it is done, "Writing the parser" for "Write the parser". */
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
export interface TodoProgress {
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
