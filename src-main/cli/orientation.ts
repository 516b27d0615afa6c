/** `hox orientation`: where the run, or one who works in it, is. (AX-5) */
import type { RunView } from "#shared/contract/views/run.ts";
import type { Orientation, PlanStep } from "#shared/domain/orientation/orientation.ts";
import { type Todo, todoProgress } from "#shared/domain/orientation/todo.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import { withRunClient, workerNamed } from "./run-client.ts";

export const orientation = (options: CommonOptions & { readonly worker?: string }): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { run } = await client.state();
    if (!run) throw new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');
    const worker = options.worker === undefined ? null : workerNamed(run, options.worker).name;
    const value = await client.execute("run.orientation", { worker });
    if (value === null)
      throw new CommandError(
        `${worker ?? "The run"} has no more work in this run.`,
        formatReplacement(run, worker),
      );
    if (options.json) printJson(orientationJson(value));
    else for (const line of orientationLines(value)) print(line);
    return exitCode.done;
  });

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

export function orientationLines({
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
