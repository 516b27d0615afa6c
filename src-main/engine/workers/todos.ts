/** Steps that a worker keeps for its task. */
import { z } from "zod";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { taskHash } from "#shared/domain/orientation/run-orientation.ts";
import { type Todo, todoLimits, todoStatuses } from "#shared/domain/orientation/todo-events.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Run, RunReader } from "../ports.ts";

/** Records a worker's list; a repeated or unchanged one is not journalled again. */
export function keepTodos(run: Run, worker: string, todos: readonly Todo[]): void {
  const { iteration } = run.worker(worker).record;
  const task = taskHash(run.facts, worker);
  if (!isRecorded(run, worker, task, todos))
    run.append({ kind: "TodosWritten", worker, todos, iteration: iteration + 1, task, at: run.now() });
}

function isRecorded(run: RunReader, worker: string, task: string, todos: readonly Todo[]): boolean {
  const list = run.facts.todos[worker];
  return list === undefined
    ? todos.length === 0
    : list.task === task && JSON.stringify(list.todos) === JSON.stringify(todos);
}

const planned = z.object({
  entries: z.array(z.object({ content: z.string().trim().min(1), status: z.enum(todoStatuses) })),
});

/** The plan that an agent of another make shows, as steps; null: the entry is none. */
export function plannedSteps(entry: ConversationEntry): readonly Todo[] | null {
  if (entry.kind !== "tool-call" || entry.tool !== "plan") return null;
  const { data } = planned.safeParse(entry.input);
  if (data === undefined) return null;
  const active = data.entries.findIndex(({ status }) => status === "in_progress");
  return data.entries.slice(0, todoLimits.items).map(({ content, status }, at) => {
    const text = startOf(content, todoLimits.characters);
    return {
      ...{ content: text, activeForm: text },
      status: status === "in_progress" && at !== active ? "pending" : status,
    };
  });
}
