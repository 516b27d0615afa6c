/** Where a run, or one who works in it, is. (AX-5) */
import type { RunView } from "#shared/contract/views/run.ts";
import type { Orientation, PlanStep } from "#shared/domain/orientation/run-orientation.ts";
import { type Todo, todoProgress } from "#shared/domain/orientation/todo-events.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { CommandError, oneLine } from "../command-line.ts";
import { clientRow, workerNamed } from "../command-table.ts";
import { show } from "../output.ts";

export const orientationRow = clientRow(
  "orientation",
  "show the state of the run or of one worker: goal, plan, steps, decisions, branch",
  { "--worker <name>": ["for example agent-2 (default: the run)", oneLine] },
  async (given, client) => {
    const run = await client.run();
    const worker = given.worker === undefined ? null : workerNamed(run, given.worker).name;
    const value = await client.execute("run.orientation", { run: run.id, worker });
    if (value === null)
      throw new CommandError(
        `${worker ?? "The run"} has no more work in this run.`,
        formatReplacement(run, worker),
      );
    show(given, orientationJson(value), orientationLines(value));
  },
);

function formatReplacement({ workers }: RunView, name: string | null): string {
  const successor = workers.find((one) => one.name === name)?.replacedBy;
  return successor ? `Its task was reassigned to ${successor}.` : "Its task was abandoned.";
}

/** The names that others know such a value by, with a time that any program can read. */
export const orientationJson = ({ goal, plan, todos, decisions, branch, updatedAt }: Orientation) => ({
  goal,
  plan,
  todos,
  decisions,
  branch,
  updatedAt: new Date(updatedAt).toISOString(),
});

const signs: Readonly<Record<PlanStep["status"], string>> = {
  pending: " ",
  in_progress: ">",
  completed: "x",
  abandoned: "-",
};

function orientationLines({
  goal,
  plan,
  todos,
  decisions,
  branch,
  updatedAt,
}: Orientation): readonly string[] {
  return [
    `goal: ${shownLine(goal)}`,
    ...(plan === null
      ? ["plan: none yet"]
      : [
          `plan: ${shownLine(plan.source)}${plan.step === null ? "" : `, step ${plan.step} of ${plan.steps.length}`}`,
          ...plan.steps.map(
            ({ title, status, worker }, place) =>
              `  ${place + 1 === plan.step ? "*" : " "} [${signs[status]}] ${shownLine(title)}${worker === null ? "" : ` (${shownLine(worker)})`}`,
          ),
          ...(plan.text ?? "")
            .split("\n")
            .flatMap((line) => (line.trim() === "" ? [] : [`    ${shownLine(line)}`])),
        ]),
    ...todoLines(todos, plan?.steps ?? []),
    ...(decisions.length === 0
      ? []
      : [
          "decisions:",
          ...decisions.map(({ title, changeId }) => `    ${shownLine(title)} (${changeId.slice(0, 8)})`),
        ]),
    `branch: ${branch === null ? "not chosen" : shownLine(branch)}`,
    `updated: ${new Date(updatedAt).toISOString()}`,
  ];
}

/** A run's list is the steps of its plan, which are printed already. */
function todoLines(todos: readonly Todo[], steps: readonly PlanStep[]): readonly string[] {
  const progress = todoProgress(todos);
  const isPlan = todos.every(({ content }) => steps.some(({ title }) => title === content));
  if (progress === null || isPlan) return [];
  return [
    `todos: ${progress.completed} of ${progress.all}${progress.active === null ? "" : `, ${shownLine(progress.active)}`}`,
    ...todos.map(({ content, status }) => `    [${signs[status]}] ${shownLine(content)}`),
  ];
}
