/** Events of runs that the user is notified of. */
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { OpenRepositoryView, RunStatus } from "#shared/contract/views/app.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { fewNames } from "#shared/domain/project/preflight.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { NoticeLevel } from "../../state/notify.ts";
import { rootOf } from "../../state/other-runs.ts";
import { runLine } from "../run/stages.ts";

/** The state that events are derived from. */
export interface Watched {
  /** Path of the repository. */
  readonly path: string | null;
  readonly run: RunView | null;
  /** Other runs that are active, or have just ended. */
  readonly otherRuns?: readonly RunView[];
  readonly inbox: readonly InboxItem[];
}

/** Where an event leads. */
export type Lead =
  | { readonly kind: "card"; readonly card: string }
  /** Of a repository that is not on screen; without a card its run. */
  | { readonly kind: "elsewhere"; readonly path: string; readonly card: string | null; readonly run: string }
  | { readonly kind: "change"; readonly changeId: string }
  | { readonly kind: "votes" }
  | { readonly kind: "run" };

export interface RunEvent {
  readonly id: string;
  /** Several of one kind are shown as one. */
  readonly kind: string;
  readonly level: NoticeLevel;
  /** Who or what it is about. */
  readonly who: string;
  readonly words: string;
  readonly lead: Lead;
  readonly run: string;
  /** Name of that run where another one is on screen. */
  readonly otherRun: string | null;
  /** What the system shows of it while the window is in the background; null: nothing. */
  readonly system: { readonly title: string; readonly body: string } | null;
  /** False where the header of the run on screen shows it. */
  readonly isInWindow: boolean;
}

/** One that does not name its run yet. */
type OwnEvent = Omit<RunEvent, "run" | "otherRun" | "system" | "isInWindow">;

const maxCharacters = 90;
const maxBodyCharacters = 160;

/** Cards that block work. */
export const waitingOf = (inbox: readonly InboxItem[]): readonly InboxItem[] =>
  inbox.filter((item) => kindOfCard(item).isInert !== true);

/** The one on screen first. */
const runsIn = ({ run, otherRuns = [] }: Watched): readonly RunView[] => [
  ...(run ? [run] : []),
  ...otherRuns,
];

/**
 * What was there when a repository or run was opened is no event; neither is what the user did: an answer,
 * a stop, a takeover. Events of runs that are not on screen name their run.
 */
export function eventsBetween(before: Watched | null, now: Watched): readonly RunEvent[] {
  if (before === null || before.path === null || before.path !== now.path) return [];
  const runs = runsIn(now);
  const otherRunName = (run: string): string | null => {
    const other = run === now.run?.id ? undefined : runs.find(({ id }) => id === run);
    return other ? rootOf(other) : null;
  };
  const known = new Set(before.inbox.map(({ id }) => id));
  const cards = waitingOf(now.inbox)
    .filter(({ id }) => !known.has(id))
    .map((item): RunEvent => {
      const kind = kindOfCard(item);
      return {
        id: item.id,
        kind: "waits",
        level: "warning",
        who: kind.title,
        words: `waiting for you: ${startOf(shownLine(kind.headline(item)), maxCharacters)}`,
        lead: { kind: "card", card: item.id },
        run: item.run,
        otherRun: otherRunName(item.run),
        system: {
          title: `${kind.title}: waiting for you`,
          body: startOf(kind.headline(item), maxBodyCharacters),
        },
        isInWindow: true,
      };
    });
  const earlier = new Map(runsIn(before).map((run) => [run.id, run]));
  const others = runs.flatMap((run): readonly RunEvent[] => {
    const known = earlier.get(run.id);
    if (!known) return [];
    const otherRun = otherRunName(run.id);
    return [
      ...[...votes(known, run), ...ofWorkers(known, run), ...ofBudget(known, run)].map((event) => ({
        ...event,
        ...{ run: run.id, otherRun, system: null, isInWindow: true },
      })),
      ...ofEnd(known, run, otherRun),
    ];
  });
  return [...cards, ...others];
}

function ofEnd(before: RunView, run: RunView, otherRun: string | null): readonly RunEvent[] {
  if (!hasJustEnded(before, run)) return [];
  const title = runLine(run);
  const body = startOf(run.failure ? run.failure.reason : run.goal, maxBodyCharacters);
  return [
    {
      ...{ id: `${run.id}:${run.stage}`, kind: "end", level: run.stage === "complete" ? "success" : "error" },
      ...{ who: "", words: shownLine(title), lead: { kind: "run" }, run: run.id, otherRun },
      ...{ system: { title, body }, isInWindow: otherRun !== null },
    },
  ];
}

const ends: readonly RunView["stage"][] = ["complete", "failed", "stopped"];

/** A run that the user stopped does not count: they know. */
const hasJustEnded = (
  before: Pick<RunStatus, "stage">,
  run: Pick<RunStatus, "stage"> & Pick<RunView, "endedBy">,
): boolean =>
  !ends.includes(before.stage) &&
  ends.includes(run.stage) &&
  (run.stage !== "stopped" || run.endedBy === "budget");

const endLabels: Partial<Record<RunView["stage"], string>> = {
  complete: "A run is complete",
  failed: "A run failed",
  stopped: "A run stopped at its budget",
};

/**
 * New cards and ended runs of open repositories that are not on screen.
 * @param shown path of the one on screen, or null
 */
export function eventsElsewhere(
  before: readonly OpenRepositoryView[],
  now: readonly OpenRepositoryView[],
  shown: string | null,
): readonly RunEvent[] {
  return now.flatMap(({ path, name, runs, waiting }) => {
    const earlier = before.find((one) => one.path === path);
    if (!earlier || path === shown) return [];
    const event = (
      id: string,
      kind: "waits" | "end",
      title: string,
      body: string,
      lead: { readonly card: string | null; readonly run: string },
    ): RunEvent => ({
      ...{ id, kind, level: kind === "waits" ? "warning" : "info", who: title },
      words: `: ${startOf(shownLine(body), maxCharacters)}`,
      ...{ lead: { kind: "elsewhere", path, ...lead }, run: lead.run, otherRun: null },
      ...{ system: { title, body: startOf(body, maxBodyCharacters) }, isInWindow: true },
    });
    const cards = waiting
      .filter(({ id }) => !earlier.waiting.some((card) => card.id === id))
      .map(({ id, run, title, headline }) =>
        event(id, "waits", `${title}: waiting for you in ${name}`, headline, { card: id, run }),
      );
    const ended = runs
      .filter((run) => {
        const known = earlier.runs.find(({ id }) => id === run.id);
        return known !== undefined && hasJustEnded(known, run);
      })
      .map((run) =>
        event(
          `${run.id}:${run.stage}`,
          "end",
          `${endLabels[run.stage]} in ${name}`,
          run.failure ? run.failure.reason : run.goal,
          { card: null, run: run.id },
        ),
      );
    return [...cards, ...ended];
  });
}

const voteLabels = {
  approve: ["success", "approves"],
  reject: ["error", "rejects"],
  abstain: ["info", "abstains"],
  error: ["warning", "gave an invalid vote"],
  "timed-out": ["warning", "timed out"],
} as const;

function votes(before: RunView, run: RunView): readonly OwnEvent[] {
  const { validation } = run;
  if (!validation) return [];
  const isSame = before.validation?.commitId === validation.commitId;
  return validation.seats.flatMap(({ seat, vote }): OwnEvent[] => {
    const earlier = isSame ? before.validation?.seats.find((one) => one.seat === seat)?.vote : "pending";
    if (vote === "pending" || vote === "void" || earlier === vote) return [];
    const [level, words] = voteLabels[vote];
    const id = `vote:${validation.commitId}:${seat}:${vote}`;
    return [{ id, kind: "vote", level, who: seat, words, lead: { kind: "votes" } }];
  });
}

function ofWorkers(before: RunView, run: RunView): readonly OwnEvent[] {
  const earlier = new Map(before.workers.map((worker) => [worker.name, worker]));
  return run.workers.flatMap((worker) => {
    const known = earlier.get(worker.name);
    return known && !worker.byHand && !known.byHand ? ofWorker(known, worker, run.id) : [];
  });
}

function ofWorker(before: WorkerView, worker: WorkerView, run: string): readonly OwnEvent[] {
  const { name, changeId, iteration } = worker;
  const lead: Lead = changeId === null ? { kind: "run" } : { kind: "change", changeId };
  const event = (kind: string, level: NoticeLevel, words: string): OwnEvent => ({
    ...{ id: `${run}:${name}:${kind}:${iteration}`, kind, level, who: name, words, lead },
  });
  const found: OwnEvent[] = [];
  if (worker.state === "failed" && before.state !== "failed") found.push(event("failed", "error", "failed"));
  if (worker.role === "agent" && worker.status === "done" && before.status !== "done")
    found.push(event("done", "success", "is done"));
  if (worker.conflict !== "none" && before.conflict === "none")
    found.push(
      event(
        `${worker.conflict} conflict`,
        "error",
        worker.conflict === "mutation"
          ? "contradicts a decision and is correcting its work"
          : "is in conflict",
      ),
    );
  return found;
}

function ofBudget(before: RunView, run: RunView): readonly OwnEvent[] {
  const { state } = run.budget;
  if (state === before.budget.state || (state !== "warning" && state !== "exhausted")) return [];
  const isSpent = state === "exhausted";
  return [
    {
      id: `${run.id}:budget:${state}`,
      kind: "budget",
      level: isSpent ? "error" : "warning",
      who: "The budget",
      words: isSpent ? "is used up: the run is paused" : "is nearly used up",
      lead: { kind: "run" },
    },
  ];
}

const lineOf = ({ who, words }: RunEvent): string =>
  words.startsWith(":") ? who + words : `${who} ${words}`.trim();

/** Events with the same group share a notification: those of one kind and run, or one elsewhere. */
export const groupOf = ({ id, kind, lead, otherRun }: RunEvent): string =>
  lead.kind === "elsewhere" ? `event ${id}` : `event ${otherRun} ${kind}`;

/** The notification of a group's events, oldest first: its level is the worst, so that a rejection among approvals shows. */
export function summaryOf(events: readonly RunEvent[]): {
  readonly text: string;
  readonly level: NoticeLevel;
} {
  const newest = events.at(-1);
  if (!newest) throw new Error("A notification needs an event");
  const name = newest.otherRun === null ? "" : `${newest.otherRun} · `;
  const level = levels.find((one) => events.some((event) => event.level === one)) ?? newest.level;
  return { text: `${name}${summarize(events, newest)}`, level };
}

/** The worst first. */
const levels: readonly NoticeLevel[] = ["error", "warning", "info", "success"];

/** What several do where one does what its own words say; the rest is said of several as of one. */
const pluralOf: Readonly<Record<string, string>> = {
  done: "are done",
  approves: "approve",
  rejects: "reject",
  abstains: "abstain",
  "mutation conflict": "contradict a decision and are correcting their work",
  "merge conflict": "are in conflict",
};

function summarize(same: readonly RunEvent[], newest: RunEvent): string {
  if (newest.kind === "vote") return votesLine(same);
  const who = [...new Set(same.map((event) => event.who))];
  const list = fewNames(who, 3);
  if (newest.kind === "waits" && same.length > 1) return `${list}: ${same.length} waiting for you`;
  return who.length === 1 ? lineOf(newest) : `${list} ${pluralOf[newest.kind] ?? newest.words}`;
}

/** One line for all votes that came, rejections first: `seat-3 rejects · seat-1, seat-2 approve`. */
function votesLine(votes: readonly RunEvent[]): string {
  const byVote = [...Map.groupBy(votes, ({ words }) => words)].sort(
    ([, [one]], [, [other]]) => levels.indexOf(one?.level ?? "info") - levels.indexOf(other?.level ?? "info"),
  );
  return byVote
    .map(([words, same]) => {
      const who = [...new Set(same.map((event) => event.who))];
      return `${fewNames(who, 3)} ${who.length === 1 ? words : (pluralOf[words] ?? words)}`;
    })
    .join(" · ");
}

/** The window's title: the number of waiting cards, the unseen end of a run, and the repository. */
export function titleOf(waiting: number, unseenEnd: string | null, name: string | null): string {
  const count = waiting > 0 ? `(${waiting}) ` : "";
  const end = unseenEnd === null ? "" : `${unseenEnd} – `;
  return `${count}${end}${name === null ? "" : `${name} – `}Hox`;
}
