import { z } from "zod";
import {
  type Orientation,
  type OrientationHashes,
  orientationHashes,
  runOrientation,
  taskHash,
} from "#shared/domain/orientation/run-orientation.ts";
import { todoProgress, todoStatuses, todosProblem } from "#shared/domain/orientation/todo-events.ts";
import { type PromptText, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { defineTool, type Tool } from "../../../../tools/tool-interface.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { keepTodos } from "../../../workers/todos.ts";

/** A worker's orientation, and whether it has to be sent again. */
export interface OrientationOf {
  readonly value: Orientation;
  readonly hashes: OrientationHashes;
}

/** Where agents are in the plan and the graph: computed on request, not stored. (AX-5, AX-9) */
export const orientation: Feature<Run> = {
  name: "orientation",
  commands: () => ({
    "run.orientation": (run, { worker }) => orientationOf(run, worker)?.value ?? null,
  }),
  agents: {
    tools: (run, worker) => [todoTool(run, worker)],
    prompt: {
      todos: (run, { worker }) => [section("Your steps so far", todoLines(run, worker))],
    },
  },
};

const input = z.strictObject({
  todos: z.array(
    z.strictObject({
      content: z.string().describe('What is to be done, as "Write the parser".'),
      status: z.enum(todoStatuses),
      activeForm: z.string().describe('The same while it is done, as "Writing the parser".'),
    }),
  ),
});

/**
 * How an agent keeps the list of steps of its task: events, so that neither a fresh context nor a crash costs it. (AX-3)
 *
 * Keeps what it is given and does nothing else: no process, and no iteration.
 */
export const todoTool = (run: Run, worker: string): Tool =>
  defineTool<z.infer<typeof input>>({
    name: "todo",
    description:
      "Keeps your list of steps for this task, which the user sees and your next iterations begin with. Use it when " +
      "the task takes three steps or more, or more than one iteration; not for one or two steps, and never only to " +
      "say what you think. Give the whole list each time. One item is in_progress at most, the one that you work on; " +
      "set it to completed as soon as it is done, and not before. An empty list removes it.",
    input,
    writes: true,
    async run({ todos }) {
      const problem = todosProblem(todos);
      if (problem !== null)
        return { ok: false, error: "invalid-input", output: `Nothing was kept. ${problem}` };
      keepTodos(run, worker, todos);
      const progress = todoProgress(todos);
      if (progress === null) return { ok: true, output: "You have no list." };
      const now = progress.active === null ? "" : ` Now: ${progress.active}.`;
      return { ok: true, output: `Kept: ${progress.completed} of ${progress.all} completed.${now}` };
    },
  });

/** The to-do list of earlier iterations, for the prompt of the next one. */
export function todoLines(run: RunReader, worker: string): readonly PromptText[] {
  const list = run.facts.todos[worker];
  if (list === undefined) return [];
  return [
    ...list.todos.map(({ content, status }) => promptLine`- [${status}] ${content}`),
    ...(list.task === taskHash(run.facts, worker)
      ? []
      : [promptLine`Your task has changed since you wrote it: check whether it still fits, and update it.`]),
  ];
}

export function orientationOf(run: RunReader, worker: string | null): OrientationOf | null {
  const { goal } = run.row.input;
  const value = runOrientation(
    { ...run.facts, goal, startedAt: run.row.startedAt, changes: run.changes },
    worker,
  );
  if (value === null) return null;
  return {
    value,
    // Each view of a run needs every worker's place, but rarely these.
    get hashes() {
      return orientationHashes(value);
    },
  };
}
