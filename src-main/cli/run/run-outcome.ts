/** Prints a run that is over, or that only the user can continue. */
import { gates } from "#shared/contract/cards/card.ts";
import { cardName, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { maxAttempts } from "#shared/domain/plan/plan.ts";
import type { RunEnd } from "#shared/domain/run/stage-state.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/prices.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { validatorChoices } from "#shared/domain/validation/panel.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import {
  type ExitCode,
  exitCode,
  microDollars,
  oneLine,
  oneOf,
  orNone,
  someOf,
  wholeNumber,
} from "../command-line.ts";
import type { Given } from "../command-table.ts";
import { print, printJson } from "../output.ts";
import { answerLines, gateOf } from "./decide.ts";
import {
  continueAnyway,
  formatLandedVerdict,
  missingLines,
  phaseName,
  spentText,
  trustLines,
  verdictSentence,
} from "./progress.ts";

export const isOver = (run: RunView): boolean => ["complete", "failed", "stopped"].includes(run.stage);

export function leaveToUser(item: InboxItem, options: RunOptions): ExitCode {
  const code = item.kind === "budget" ? exitCode.budget : exitCode.waits;
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

export const maxTokens = ["maximum number of tokens, or none", orNone(wholeNumber(1, 1e12))] as const;
export const maxBudget = ["maximum cost in US dollars, or none", orNone(microDollars)] as const;

export const runTakes = {
  "--goal <text>": "what the run should achieve",
  "--idea <n>": ["use this idea of `hox ideas` as the goal; --goal rewords it", wholeNumber(1, 100_000)],
  "--issue <issue>": [
    "begin from an issue on GitHub or GitLab, by its number or URL; agents read its text and comments as quotes",
    oneLine,
  ],
  "--link-issue":
    "with --issue: comment on it once when the pull request is open, and let the merge close it",
  "--again": "repeat the goal of the last failed or stopped run, based on its combined work",
  "--orchestrators <n>": [
    "number of orchestrators (default: the root orchestrator decides)",
    wholeNumber(1, 32),
  ],
  "--attempts <n>": [
    "number of agents that try each task in parallel; you choose one, and the cost multiplies",
    wholeNumber(1, maxAttempts),
  ],
  "--quick": "one agent, no plan or votes: it works, checks run, you land the result",
  "--no-quick": "make a plan even if run.quick is set",
  "--validators <who>": [
    "one, or panel (validation.validator_count of them); default: one, or a panel for a large or risky result",
    oneOf(validatorChoices),
  ],
  "--max-tokens <n>": maxTokens,
  "--max-budget-usd <amount>": maxBudget,
  "--max-iterations <n>": [
    "maximum iterations of each agent on its task before Hox asks you",
    wholeNumber(1, 1_000),
  ],
  "--on <label>": [
    "agents work on workers with this label, such as linux-x64 (see `hox workers`; default: workspace.workers)",
    oneLine,
  ],
  "--onto <revset>": "change to build on, or branch to build and land on (default: your current branch)",
  "--model <name>": ["model of this run", oneLine],
  "--rehearsal <name>": [
    "use a scripted model; without --repo, on a copy of its example repository",
    oneLine,
  ],
  "--approve <gates>": [
    `cards to approve automatically: ${gates.join(", ")} (questions: picks the first option; patterns: only in a rehearsal)`,
    someOf(gates),
  ],
  "--take-over": "take over from the Hox process that has this repository open",
  "--pace <ms>": { help: "delay of the scripted model", parse: wholeNumber(0, 10_000), isHidden: true },
} as const;

/**
 * What `hox run` takes.
 *
 * With `watch`, archangels review sessions outside Hox and nothing is planned.
 */
export type RunOptions = Given<typeof runTakes> & { readonly watch?: boolean };

const codes: Readonly<Record<RunEnd, ExitCode>> = {
  goal: exitCode.done,
  rejection: exitCode.rejected,
  budget: exitCode.budget,
  abandonment: exitCode.error,
  error: exitCode.error,
  user: exitCode.error,
  restore: exitCode.error,
};

/** The exit code depends on the cause alone. */
export const exitCodeOf = (endedBy: RunEnd | null): ExitCode =>
  endedBy === null ? exitCode.error : codes[endedBy];

const ends: Readonly<Record<RunEnd, string>> = {
  goal: "The run completed.",
  rejection: "The run ended: its result was rejected.",
  budget: "The run stopped: its budget is spent.",
  abandonment: "The run ended: its tasks were abandoned.",
  error: "The run failed with an error.",
  user: "The run was stopped by a user, in a window, in a terminal or by the answer to a card.",
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
  const code = exitCodeOf(view.endedBy);
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
          `${phaseName(phase).replace(/^p/u, "P")}: ${verdictSentence(phase.validation, continueAnyway)}`,
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
