/** Several agents at one task, of whom the user chooses one. (HYLO-3) */

import type { AttemptComparison, AttemptView } from "#shared/contract/commands/worker.ts";
import type { AttemptGroupView, RunView } from "#shared/contract/views/run.ts";
import { lineCounts, statOf } from "#shared/domain/files/diff.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { notMetered } from "#shared/domain/spending/unmetered.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { CommandError, exitCode, oneLine } from "../command-line.ts";
import { agentName, type CommandRow, clientRow, showDone, workerIn, workerNamed } from "../command-table.ts";
import { show } from "../output.ts";

export const attemptRows: readonly CommandRow[] = [
  clientRow(
    "attempts",
    "list attempts of tasks that several agents try: files, checks, cost and time",
    { "[task]": ["task ID in the plan, or one of its agents (default: all tasks)", oneLine] },
    async (given, client) => {
      const run = await client.run(given.task);
      const groups = groupsNamed(run, given.task);
      const tasks = await Promise.all(
        groups.map(({ leader }) =>
          client.execute("attempt.compare", { run: run.id, worker: leader, against: null }),
        ),
      );
      const none = ["No task of this run has several attempts."];
      show(given, { kind: "attempts", tasks }, tasks.length === 0 ? none : tasks.flatMap(comparisonLines));
    },
  ),
  clientRow(
    "choose",
    "choose an attempt; the others are abandoned (undo with --undo)",
    { "[agent]": agentName, "--undo": "undo the choice and restore all attempts" },
    async (given, client) => {
      const { agent } = given;
      const run = await client.run(agent);
      const list = "List them: hox attempts";
      if (given.undo) {
        const chosen = groupsNamed(run, agent).filter((group) => group.chosen !== null);
        const [only, ...more] = chosen;
        if (!only) throw new CommandError("No choice to undo.", list, exitCode.usage);
        if (more.length > 0)
          throw new CommandError(
            "There are several choices to undo.",
            `Name one: ${chosen.map((group) => `hox choose --undo ${group.leader}`).join(", or ")}.`,
            exitCode.usage,
          );
        await client.execute("attempt.undoChoice", { run: run.id, worker: only.leader });
        const text = `All attempts at “${shownLine(only.title)}” are restored. ${list} ${only.task}`;
        return showDone(given, client, { undone: only.leader }, text);
      }
      if (agent === undefined)
        throw new CommandError("Name an attempt: hox choose <agent>", list, exitCode.usage);
      workerNamed(run, agent);
      const [group] = groupsNamed(run, agent);
      await client.execute("attempt.choose", { run: run.id, worker: agent });
      const others = (group?.attempts ?? []).flatMap(({ worker, isOut }) =>
        isOut || worker === agent ? [] : [worker],
      );
      const text = `${agent} has the task; ${others.join(", ")} ${others.length === 1 ? "is" : "are"} abandoned. To undo: hox choose --undo ${agent}`;
      showDone(given, client, { chosen: agent }, text);
    },
  ),
  clientRow(
    "fork",
    "fork an agent: a new agent continues from a turn of its conversation, on its own change",
    {
      "<agent>": agentName,
      "--from <turn>": {
        help: "iteration.turn: 2.3 is the third turn of the second iteration",
        parse: conversationTurn,
        isRequired: true,
      },
      "--words <text>": "message to start the fork with",
      "--model <name>": ["model of the new agent", oneLine],
    },
    async (given, client) => {
      const { agent, words = "", model = null } = given;
      const at = { ...(await workerIn(client, agent)), ...given.from };
      const { files } = await client.execute("attempt.previewFork", at);
      const { worker } = await client.execute("attempt.fork", { ...at, words: words.trim(), model });
      showDone(given, client, { forked: agent, worker, files }, [
        `${worker} continues from turn ${at.turn} of iteration ${at.iteration} of ${agent}; ${agent} keeps working.`,
        ...(files === "" ? [] : [`Its files: ${files}`]),
      ]);
    },
  ),
];

/** `2.3` is the third turn of the second iteration. */
export function conversationTurn(text: string): { readonly iteration: number; readonly turn: number } {
  const [, iteration, turn] = /^([1-9]\d{0,4})\.([1-9]\d{0,4})$/u.exec(text.trim()) ?? [];
  if (iteration !== undefined && turn !== undefined)
    return { iteration: Number(iteration), turn: Number(turn) };
  throw new CommandError(
    `"${shownLine(text)}" is not a turn.`,
    "Write iteration.turn: 2.3 is the third turn of the second iteration.",
    exitCode.usage,
  );
}

function groupsNamed({ attempts: groups }: RunView, wanted: string | undefined): readonly AttemptGroupView[] {
  if (wanted === undefined) return groups;
  const found = groups.filter(
    ({ task, attempts }) => task === wanted || attempts.some(({ worker }) => worker === wanted),
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

function comparisonLines({ group, attempts }: AttemptComparison): readonly string[] {
  const state =
    group.chosen !== null
      ? `${group.chosen} was chosen`
      : attempts.some(({ isOut, status }) => !isOut && status !== "review")
        ? "still running"
        : `choose with: hox choose ${attempts.map(({ worker }) => worker).join(" | ")}`;
  const head = `${shownLine(group.title)} (${group.task}): ${attempts.length} attempts, ${state}`;
  return [head, ...attempts.flatMap(attemptLines)];
}

function attemptLines(one: AttemptView): readonly string[] {
  const stat = statOf(one.diff);
  const sum = (part: "added" | "removed"): number => stat.reduce((count, file) => count + file[part], 0);
  const failed = one.checks.filter(isBlocking).map(({ name }) => shownLine(name));
  const checks =
    one.checks.length === 0
      ? "no checks yet"
      : failed.length === 0
        ? "checks pass"
        : `failed: ${failed.join(", ")}`;
  const from = one.origin
    ? `, forked from ${one.origin.worker} at ${one.origin.iteration}.${one.origin.turn}`
    : "";
  const money = one.isUnmetered ? notMetered : `$${(one.microDollars / 1e6).toFixed(2)}`;
  const spent = `${money}; ${Math.round(one.ms / 1000)} s`;
  return [
    `  ${one.nth}. ${one.worker}  ${one.isOut ? "abandoned" : one.status}  ${one.model}${from}`,
    `     ${counted(stat.length, "file")} +${sum("added")} -${sum("removed")}; ${checks}; ${counted(one.iteration, "iteration")}; ${spent}`,
    ...(one.summary === "" ? [] : [`     ${shownLine(one.summary)}`]),
    ...one.reviews.map((review) => `     ${review.by}: ${review.verdict} ${shownLine(review.words)}`),
    ...stat.map((file) => `     ${lineCounts(file)} ${shownLine(file.path)}`),
  ];
}
