import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { RunView, Stage } from "#shared/contract/views/run.ts";
import { providerWaitLine } from "#shared/domain/conversation/provider-wait.ts";
import { isMerged } from "#shared/domain/landing/publication.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { isAtWork, roles } from "#shared/domain/worker/roles.ts";

/** The steps of a run as a user follows them, in order. */
const steps = ["plan", "contracts", "work", "integrate", "validate", "learn", "land"] as const;
export type Step = (typeof steps)[number];

export const stepNames: Readonly<Record<Step, string>> = {
  plan: "Plan",
  contracts: "Contracts",
  work: "Work",
  integrate: "Integrate",
  validate: "Validate",
  learn: "Learn",
  land: "Land",
};

const stepOfStage: Readonly<Record<Stage, Step | "end" | null>> = {
  idle: null,
  watching: null,
  planning: "plan",
  executing: "work",
  integrating: "integrate",
  validating: "validate",
  learning: "learn",
  landing: "land",
  complete: "end",
  failed: null,
  stopped: null,
};

/** The steps that this run takes: a quick one has no plan, no contracts and no votes, and a watch takes none. */
export function stepsOf({ isQuick, isWatch }: Pick<RunView, "isQuick" | "isWatch">): readonly Step[] {
  if (isWatch) return [];
  return isQuick ? ["work", "land"] : steps;
}

/** Where a run is; a run that failed or was stopped shows how far its recorded results reach. */
export function currentStep(run: RunView): Step | "end" {
  const step = stepOfStage[run.stage];
  if (step === "work") return run.phase === 0 ? "contracts" : "work";
  if (step !== null) return step;
  if (run.landed) return "end";
  if (run.validation) return "validate";
  if (run.integration) return "integrate";
  if (run.workers.some((worker) => roles[worker.role].canWriteTask)) return "work";
  return run.planApproved ? "contracts" : "plan";
}

// Created once: a formatter for each mark took a tenth of the drawing time of a large canvas.
const toTheMinute = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const toTheSecond = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** To the minute, and to the second for what is about to be over. */
export const clockTime = (at: number): string =>
  (at - Date.now() < 90_000 ? toTheSecond : toTheMinute).format(at);

const waitLines: Readonly<Partial<Record<InboxItem["kind"], string>>> = {
  plan: "Plan ready for your review",
  land: "Result ready for your review",
  pattern: "Pattern ready for your review",
  "align-request": "Waiting for your answer",
  attempts: "Waiting: choose an attempt",
};

/** What the user has to answer before work continues, as an existing card; null while an agent works. */
function waitLine({ awaiting, workers }: RunView, cards: readonly InboxItem[]): string | null {
  if (workers.some(({ state }) => isAtWork(state))) return null;
  const card =
    cards.find(({ kind }) => kind === "plan" || kind === "land" || kind === "pattern") ??
    cards.find(({ id }) => awaiting.includes(id)) ??
    cards.find(({ kind }) => kind === "trouble");
  return card ? (waitLines[card.kind] ?? `Waiting for you: ${lowerFirst(kindOfCard(card).title)}`) : null;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** After the stage's own work is done what was learned is written down. */
function learningLine({ workers }: RunView): string {
  return workers.some(({ state }) => isAtWork(state))
    ? "Looking for patterns"
    : "Recording patterns and metrics";
}

/** Of what archangels do in your sessions, and what keeps them from it. */
function watchLine({ watchBudget, workers }: RunView): string {
  if (watchBudget?.isSpent) return "Today’s budget is used up; reviews resume at midnight";
  return workers.some(({ state }) => isAtWork(state))
    ? "Reviewing a session"
    : "Waiting for a session's next turn";
}

/**
 * One line that says what the run does or waits for. It names no card that is not there: not one that was just answered, nor
 * one that is still being made.
 * @param inbox cards of this and other runs
 */
export function runLine(run: RunView, inbox: readonly InboxItem[] = []): string {
  const { providerLimit: limit } = run;
  if (limit && run.endedAt === null) return providerWaitLine(limit, clockTime);
  if (run.paused === "pausing") return "Pausing: agents finish their current turn";
  if (run.paused === "paused") return "Paused";
  if (run.paused === "budget") return "Stopped at the budget; all work is saved";
  const waits =
    run.endedAt === null &&
    waitLine(
      run,
      inbox.filter((card) => card.run === run.id),
    );
  if (waits) return waits;
  switch (run.stage) {
    case "idle":
      return "Not started";
    case "watching":
      return watchLine(run);
    case "planning":
      return "Planning";
    case "executing": {
      if (run.phase === 0) return "Writing contracts";
      const title = run.plan?.phases.find((phase) => phase.number === run.phase)?.title;
      return title ? `Phase ${run.phase}: ${title}` : `Phase ${run.phase}`;
    }
    case "integrating":
      return "Integrating";
    case "validating":
      return run.attempt > 1 ? `Validating, attempt ${run.attempt}` : "Validating";
    case "learning":
      return learningLine(run);
    case "landing":
      return run.publication?.isPublished
        ? `Waiting for ${counted(run.publication.parts.filter((part) => !isMerged(part)).length, "pull request")}`
        : "Preparing to land the result";
    case "complete":
      if (!run.landed) return "Complete";
      return run.landed.undoneAt == null
        ? `Landed on ${run.landed.bookmark}`
        : `Complete; landing on ${run.landed.bookmark} was undone`;
    case "failed":
      return "Failed";
    case "stopped":
      if (run.isWatch) return "Ended; the comments are kept";
      return run.endedBy === "restore"
        ? "Ended: the repository was restored to an earlier state"
        : "Stopped; the work so far is in the graph";
  }
}
