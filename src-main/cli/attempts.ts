/** `hox attempts | choose | fork`: several agents at one task, of whom the user chooses one. (HYLO-3) */
import type { AttemptComparison, AttemptGroupView, AttemptView } from "#shared/contract/views/attempt.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { statOf } from "#shared/domain/files/diff.ts";
import { lineCounts } from "#shared/domain/files/line-counts.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import { type RunClient, withRunClient, workerNamed } from "./run-client.ts";

/** @param wanted id of a task, or one of its agents; left out: all tasks that are tried several times */
export const attempts = (wanted: string | undefined, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { run } = await client.state(wanted);
    const groups = groupsNamed(run, wanted);
    const compared = await Promise.all(
      groups.map(({ leader }) => client.execute("attempt.compare", { worker: leader, against: null })),
    );
    if (options.json) printJson({ kind: "attempts", tasks: compared });
    else if (compared.length === 0) print("No task of this run has several attempts.");
    else for (const line of compared.flatMap(comparisonLines)) print(line);
    return exitCode.done;
  });

/** @param agent left out with `undo`: of the one task that was chosen */
export const choose = (
  agent: string | undefined,
  options: CommonOptions & { readonly undo?: boolean },
): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { run } = await client.state(agent);
    if (options.undo) return undoChoice(client, run, agent, options);
    if (agent === undefined)
      throw new CommandError(
        "Name an attempt: hox choose <agent>",
        "List them: hox attempts",
        exitCode.usage,
      );
    workerNamed(run, agent);
    const group = groupsNamed(run, agent)[0];
    await client.execute("attempt.choose", { worker: agent });
    const others = group?.attempts.filter(({ worker, isOut }) => !isOut && worker !== agent) ?? [];
    if (options.json) printJson({ kind: "done", live: client.isLive, chosen: agent });
    else
      print(
        `${agent} has the task; ${others.map(({ worker }) => worker).join(", ")} ${others.length === 1 ? "is" : "are"} abandoned. To undo: hox choose --undo ${agent}`,
      );
    return exitCode.done;
  });

async function undoChoice(
  client: RunClient,
  run: RunView | null,
  agent: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> {
  const chosen = groupsNamed(run, agent).filter((group) => group.chosen !== null);
  const [only, ...more] = chosen;
  if (!only) throw new CommandError("No choice to undo.", "List them: hox attempts", exitCode.usage);
  if (more.length > 0)
    throw new CommandError(
      "There are several choices to undo.",
      `Name one: ${chosen.map((group) => `hox choose --undo ${group.leader}`).join(", or ")}.`,
      exitCode.usage,
    );
  await client.execute("attempt.undoChoice", { worker: only.leader });
  if (options.json) printJson({ kind: "done", live: client.isLive, undone: only.leader });
  else print(`All attempts at “${shownLine(only.title)}” are restored. List them: hox attempts ${only.task}`);
  return exitCode.done;
}

interface ForkOptions extends CommonOptions {
  readonly from: { readonly iteration: number; readonly turn: number };
  readonly words?: string;
  readonly model?: string;
}

export const fork = (agent: string, options: ForkOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    workerNamed((await client.state(agent)).run, agent);
    const at = { worker: agent, ...options.from };
    const { files } = await client.execute("attempt.previewFork", at);
    const { worker } = await client.execute("attempt.fork", {
      ...at,
      words: (options.words ?? "").trim(),
      model: options.model ?? null,
    });
    if (options.json) printJson({ kind: "done", live: client.isLive, forked: agent, worker, files });
    else {
      print(
        `${worker} continues from turn ${at.turn} of iteration ${at.iteration} of ${agent}; ${agent} keeps working.`,
      );
      if (files !== "") print(`Its files: ${files}`);
    }
    return exitCode.done;
  });

/** `2.3` is the third turn of the second iteration. */
export function conversationTurn(text: string): ForkOptions["from"] {
  const [, iteration, turn] = /^([1-9]\d{0,4})\.([1-9]\d{0,4})$/u.exec(text.trim()) ?? [];
  if (iteration !== undefined && turn !== undefined)
    return { iteration: Number(iteration), turn: Number(turn) };
  throw new CommandError(
    `"${shownLine(text)}" is not a turn.`,
    "Write iteration.turn: 2.3 is the third turn of the second iteration.",
    exitCode.usage,
  );
}

function groupsNamed(run: RunView | null, wanted: string | undefined): readonly AttemptGroupView[] {
  if (!run) throw new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');
  const groups = run.attempts;
  if (wanted === undefined) return groups;
  const found = groups.filter(
    ({ task, attempts: all }) => task === wanted || all.some(({ worker }) => worker === wanted),
  );
  if (found.length > 0) return found;
  throw new CommandError(
    `“${shownLine(wanted)}” has no other attempts.`,
    groups.length === 0
      ? "Fork an agent (hox fork), or start a run with several attempts (hox run --attempts 2)."
      : `Tasks with several attempts: ${groups.map(({ task }) => task).join(", ")}.`,
    exitCode.usage,
  );
}

function comparisonLines({ group, attempts: all }: AttemptComparison): readonly string[] {
  const state =
    group.chosen !== null
      ? `${group.chosen} was chosen`
      : all.some(({ isOut, status }) => !isOut && status !== "review")
        ? "still running"
        : `choose with: hox choose ${all.map(({ worker }) => worker).join(" | ")}`;
  return [
    `${shownLine(group.title)} (${group.task}): ${all.length} attempts, ${state}`,
    ...all.flatMap(attemptLines),
  ];
}

function attemptLines(one: AttemptView): readonly string[] {
  const stat = statOf(one.diff);
  const sum = (part: "added" | "removed"): number => stat.reduce((count, file) => count + file[part], 0);
  const failed = one.checks.filter(isBlocking).map(({ name }) => shownLine(name));
  const from = one.origin
    ? `, forked from ${one.origin.worker} at ${one.origin.iteration}.${one.origin.turn}`
    : "";
  return [
    `  ${one.nth}. ${one.worker}  ${one.isOut ? "abandoned" : one.status}  ${one.model}${from}`,
    `     ${stat.length} ${stat.length === 1 ? "file" : "files"} +${sum("added")} -${sum("removed")}; ${
      one.checks.length === 0
        ? "no checks yet"
        : failed.length === 0
          ? "checks pass"
          : `failed: ${failed.join(", ")}`
    }; ${one.iteration} ${one.iteration === 1 ? "iteration" : "iterations"}; $${(one.microDollars / 1e6).toFixed(2)}; ${Math.round(one.ms / 1000)} s`,
    ...(one.summary === "" ? [] : [`     ${shownLine(one.summary)}`]),
    ...one.reviews.map((review) => `     ${review.by}: ${review.verdict} ${shownLine(review.words)}`),
    ...stat.map((file) => `     ${lineCounts(file)} ${shownLine(file.path)}`),
  ];
}
