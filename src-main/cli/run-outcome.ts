/** Prints a run that is over, or that only the user can continue. */
import { cardName } from "#shared/contract/card-name.ts";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { RunEnd } from "#shared/domain/run/stage-state.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/spent-beside.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { type ExitCode, exitCode } from "./command-line.ts";
import { answerLines, gateOf } from "./decide.ts";
import { print, printJson } from "./output.ts";
import { formatLandedVerdict, spentText } from "./progress.ts";
import { exitCodeOf } from "./run-exit-code.ts";
import type { RunOptions } from "./run-options.ts";
import { goOnAllTheSame, missingLines, phaseName, trustLines, verdictSentence } from "./verdict-lines.ts";

export const isOver = (run: RunView): boolean => ["complete", "failed", "stopped"].includes(run.stage);

export function leaveToPerson(item: InboxItem, options: RunOptions): ExitCode {
  const code = exitCodeOf({ kind: "card", card: item.kind });
  const gate = gateOf(item);
  if (options.json)
    printJson({
      kind: "end",
      outcome: code === exitCode.budget ? "budget" : "waits",
      card: item.kind,
      id: item.id,
      name: cardName(item),
      code,
    });
  else {
    print(
      "\nThese cards are waiting for you. The work is saved. Answer in the app (npm start -- <folder>) or in a terminal:",
    );
    for (const line of answerLines(item)) print(line);
    if (gate && kindOfCard(item).answerInAdvance(item) !== null)
      print(`To approve automatically: --approve ${gate}`);
    else if (item.kind === "votes" || item.kind === "land")
      print("--approve does not answer it: you decide what to do about failures.");
  }
  return code;
}

const ends: Readonly<Record<RunEnd, string>> = {
  goal: "The run completed.",
  rejection: "The run ended: its result was rejected.",
  budget: "The run stopped: its budget is spent.",
  abandonment: "The run ended: its tasks were abandoned.",
  error: "The run failed with an error.",
  person: "The run was stopped by a user, in a window, in a terminal or by the answer to a card.",
  restore: "The run ended: the repository was restored to an earlier state.",
};

/** Why a run is over, how far it came, and what to do next. */
function formatRunEnd({ stage, endedBy, landed, workers }: RunView): string {
  const tasks = workers.filter(({ task, role }) => typeof task === "string" && roles[role].canWriteTask);
  const done = tasks.filter(({ status }) => status === "done").length;
  const why = endedBy ? ends[endedBy] : `The run ended as ${stage}.`;
  const far =
    tasks.length === 0
      ? ""
      : ` ${done} of ${tasks.length} tasks ${tasks.length === 1 ? "was" : "were"} done.`;
  if (landed) return `${why}${far}`;
  return `${why}${far} Nothing landed. The work stays in the graph: see it with \`hox report\`, or start again with \`hox run\` and the same goal.`;
}

export function concludeRun(view: RunView, options: RunOptions): ExitCode {
  const code = exitCodeOf({ kind: "over", by: view.endedBy });
  if (options.json)
    printJson({
      kind: "end",
      outcome: view.stage,
      code,
      failure: view.failure,
      landed: view.landed,
      unchecked: view.landed !== null && view.validation?.checks.length === 0,
      budget: view.budget,
      overhead: splitSpending(view.workers, view.budget.byWorker),
      score: view.score,
      trust: view.trust ?? null,
      verdict: view.validation?.verdict ?? null,
      overruled: view.validation?.overruled ?? null,
      missing: view.missing,
      phases: view.phaseVerdicts.map(({ orchestrator, number, validation }) => ({
        orchestrator,
        number,
        verdict: validation.verdict,
        overruled: validation.overruled ?? null,
      })),
    });
  else {
    print();
    print(formatRunEnd(view));
    if (view.failure) print(`${shownLine(view.failure.reason)} ${shownLine(view.failure.remedy)}`);
    if (view.landed)
      print(
        `Landed ${view.landed.to.slice(0, 12)} on ${shownLine(view.landed.bookmark)}${formatLandedVerdict(view)}. To undo: \`hox undo-landing\``,
      );
    for (const phase of view.phaseVerdicts)
      if (phase.validation.overruled !== undefined)
        print(
          `${phaseName(phase).replace(/^p/u, "P")}: ${verdictSentence(phase.validation, goOnAllTheSame)}`,
        );
    if (view.validation) {
      const verdict = `Verdict ${verdictSentence(view.validation)}`;
      const trust = trustLines(view.validation, view.trust);
      if (trust.length > 0 || view.validation.overruled !== undefined) print([verdict, ...trust].join(" "));
    }
    for (const line of missingLines(view)) print(`Missing: ${line}`);
    if (view.score) print(`Score ${view.score.total.toFixed(2)}`);
    print(`Spent ${spentText(view)}.`);
    print(`${overheadLine(splitSpending(view.workers, view.budget.byWorker))}.`);
  }
  return code;
}
