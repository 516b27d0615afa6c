/** What happens in a run that a person who looks at something else in the window wants to see. */
import { kindOfCard } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { fewNames } from "#shared/domain/project/known-failures.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { rootOf } from "../../state/runs-beside.ts";
import { runLine } from "../run/stages.ts";
import { hasJustEnded, type News, runsIn, type Watched, waitingOf } from "./news.ts";

type Lead =
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
  readonly tone: "info" | "success" | "warning" | "danger";
  /** Who or what it is about. */
  readonly who: string;
  readonly words: string;
  readonly lead: Lead;
  readonly run: string;
  /** Name of that run where another one is on screen. */
  readonly otherRun: string | null;
}

/** One that does not say yet of which run it is. */
type OwnEvent = Omit<RunEvent, "run" | "otherRun">;

const maxCharacters = 90;

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
        id: `card:${item.id}`,
        kind: "waits",
        tone: "warning",
        who: kind.title,
        words: `waiting for you: ${startOf(shownLine(kind.headline(item)), maxCharacters)}`,
        lead: { kind: "card", card: item.id },
        run: item.run,
        otherRun: otherRunName(item.run),
      };
    });
  const earlier = new Map(runsIn(before).map((run) => [run.id, run]));
  const others = runs.flatMap((run): readonly RunEvent[] => {
    const known = earlier.get(run.id);
    if (!known) return [];
    const otherRun = otherRunName(run.id);
    return [
      ...votes(known, run),
      ...ofWorkers(known, run),
      ...ofBudget(known, run),
      // The header shows the end of the run on screen.
      ...(otherRun === null ? [] : ofEnd(known, run)),
    ].map((event) => ({ ...event, run: run.id, otherRun }));
  });
  return [...cards, ...others];
}

function ofEnd(before: RunView, run: RunView): readonly OwnEvent[] {
  if (!hasJustEnded(before, run)) return [];
  const tone = run.stage === "complete" ? "success" : "danger";
  const id = `${run.id}:end`;
  return [{ id, kind: "end", tone, who: "", words: shownLine(runLine(run)), lead: { kind: "run" } }];
}

/** Events outside the view: a waiting card, the end of a run. */
export const eventsElsewhere = (news: readonly News[]): readonly RunEvent[] =>
  news.flatMap(({ id, title, body, path, card, run }) =>
    path === undefined
      ? []
      : {
          ...{ id: `elsewhere:${id}`, kind: `elsewhere:${id}`, tone: card === null ? "info" : "warning" },
          ...{ who: title, words: `: ${startOf(shownLine(body), maxCharacters)}` },
          ...{ lead: { kind: "elsewhere", path, card, run }, run, otherRun: null },
        },
  );

const voteLabels = {
  approve: ["success", "approves"],
  reject: ["danger", "rejects"],
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
    const [tone, words] = voteLabels[vote];
    const id = `vote:${validation.commitId}:${seat}:${vote}`;
    return [{ id, kind: "vote", tone, who: seat, words, lead: { kind: "votes" } }];
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
  const event = (kind: string, tone: RunEvent["tone"], words: string): OwnEvent => ({
    ...{ id: `${run}:${name}:${kind}:${iteration}`, kind, tone, who: name, words, lead },
  });
  const found: OwnEvent[] = [];
  if (worker.state === "failed" && before.state !== "failed") found.push(event("failed", "danger", "failed"));
  if (worker.role === "agent" && worker.status === "done" && before.status !== "done")
    found.push(event("done", "success", "is done"));
  if (worker.conflict !== "none" && before.conflict === "none")
    found.push(
      event(
        `${worker.conflict} conflict`,
        "danger",
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
      tone: isSpent ? "danger" : "warning",
      who: "The budget",
      words: isSpent ? "is used up: the run is paused" : "is nearly used up",
      lead: { kind: "run" },
    },
  ];
}

const lineOf = ({ who, words }: RunEvent): string =>
  words.startsWith(":") ? who + words : `${who} ${words}`.trim();

export interface EventGroup {
  readonly newest: RunEvent;
  readonly words: string;
  /** The worst of them: a rejection among approvals must not look like an approval. */
  readonly tone: RunEvent["tone"];
  /** The number of events it represents. */
  readonly count: number;
}

/** Whether events share a line: same kind, same run. */
export const isAlike = (one: RunEvent, other: RunEvent): boolean =>
  one.kind === other.kind && one.otherRun === other.otherRun;

/** Those of one kind in one line, the newest first. */
export function grouped(events: readonly RunEvent[]): readonly EventGroup[] {
  const groups = [...Map.groupBy(events, ({ kind, otherRun }) => `${otherRun} ${kind}`).values()];
  return groups
    .flatMap((same): EventGroup[] => {
      const newest = same.at(-1);
      if (!newest) return [];
      const name = newest.otherRun === null ? "" : `${newest.otherRun} · `;
      const tone = tones.find((one) => same.some((event) => event.tone === one)) ?? newest.tone;
      return [{ newest, words: `${name}${summarize(same, newest)}`, tone, count: same.length }];
    })
    .sort((one, other) => events.indexOf(other.newest) - events.indexOf(one.newest));
}

/** The worst first. */
const tones: readonly RunEvent["tone"][] = ["danger", "warning", "info", "success"];

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
    ([, [one]], [, [other]]) => tones.indexOf(one?.tone ?? "info") - tones.indexOf(other?.tone ?? "info"),
  );
  return byVote
    .map(([words, same]) => {
      const who = [...new Set(same.map((event) => event.who))];
      return `${fewNames(who, 3)} ${who.length === 1 ? words : (pluralOf[words] ?? words)}`;
    })
    .join(" · ");
}
