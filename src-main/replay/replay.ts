/** A recorded run, at any moment of it: the same views that it had while it went on, made by the same code. */
import type { InboxItem } from "#shared/contract/cards.ts";
import type { MessageView } from "#shared/contract/views/message.ts";
import type { ReplayMoment } from "#shared/contract/views/replay.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { RunTimeline } from "#shared/domain/timeline/timeline.ts";
import { timelineOf } from "#shared/domain/timeline/timeline-of.ts";
import type { Change } from "#shared/graph/change.ts";
import { allMessages } from "../engine/orchestrators/messages.ts";
import { timelineParts } from "../engine/timeline-view.ts";
import { runView } from "../engine/view.ts";
import type { JournalCard } from "../journal/recording-rows.ts";
import { cardMoments, momentWords } from "./moment-words.ts";
import { createPastStates } from "./past-states.ts";
import { recordedRun } from "./recorded-run.ts";
import type { Recording } from "./recording.ts";

/** What screens show of a run at one moment. */
export interface RecordedViews {
  readonly run: RunView;
  readonly timeline: RunTimeline;
  /** Cards that waited then. */
  readonly inbox: readonly InboxItem[];
  readonly messages: readonly MessageView[];
}

export interface Replay {
  readonly recording: Recording;
  /** When it began and when the last of it happened. */
  readonly from: number;
  readonly to: number;
  /** Every time at which something happened, the first first, each once. */
  readonly times: readonly number[];
  /** What a person may want to go to, the first first. */
  readonly moments: readonly ReplayMoment[];
  /** @param changes the run's changes as the graph had them then */
  viewsAt(at: number, changes?: readonly Change[]): RecordedViews;
}

export function createReplay(recording: Recording): Replay {
  const past = createPastStates(recording);
  const times = timesOf(recording);
  const from = Math.min(recording.startedAt, times[0] ?? recording.startedAt);
  return {
    recording,
    from,
    to: times.at(-1) ?? from,
    times,
    moments: momentsOf(recording),
    viewsAt(at, changes = []) {
      const count = countUpTo(recording.moments, at);
      const run = recordedRun(recording, past, {
        at,
        count,
        changes: changesOfRun(recording.run, changes),
      });
      const messages = allMessages(run);
      return {
        run: runView(run),
        timeline: timelineOf(past.timeline(count), timelineParts(answeredBy(recording, at), messages)),
        inbox: cardsAt(recording, at),
        messages,
      };
    },
  };
}

const timesOf = ({ moments, conversations, spending, cards }: Recording): readonly number[] =>
  [
    ...new Set([
      ...moments.map(({ at }) => at),
      ...Object.values(conversations).flatMap((rows) => rows.map(({ at }) => at)),
      ...spending.map(({ at }) => at),
      ...cards.flatMap(({ item, answeredAt }) => (answeredAt === null ? [item.at] : [item.at, answeredAt])),
    ]),
  ].toSorted((one, other) => one - other);

const momentsOf = ({ moments, cards }: Recording): readonly ReplayMoment[] =>
  [
    ...moments.flatMap(({ at, event }) => {
      const words = momentWords(event);
      return words ? [{ at, ...words }] : [];
    }),
    ...cards.flatMap(cardMoments),
  ].toSorted((one, other) => one.at - other.at);

/** How many of them had happened; they stand in the order of their times. */
function countUpTo(moments: Recording["moments"], at: number): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const changesOfRun = (run: string, changes: readonly Change[]): ReadonlyMap<string, Change> =>
  new Map(changes.filter(({ metadata }) => metadata.run === run).map((change) => [change.changeId, change]));

/** Those that had been put by then, as far as they had been answered. */
const answeredBy = ({ cards }: Recording, at: number): readonly JournalCard[] =>
  cards
    .filter(({ item }) => item.at <= at)
    .map((card) =>
      card.answeredAt !== null && card.answeredAt > at ? { ...card, answeredAt: null, decision: null } : card,
    );

const cardsAt = ({ cards }: Recording, at: number): readonly InboxItem[] =>
  cards
    .filter(({ item, answeredAt }) => item.at <= at && (answeredAt === null || answeredAt > at))
    .map(({ item }) => item);

/** How much happened in each of so many equal parts of a replay's time. */
export function densityOf({ times, from, to }: Replay, parts: number): readonly number[] {
  const counts = new Array<number>(parts).fill(0);
  for (const time of times) {
    const part = Math.min(parts - 1, Math.floor(((time - from) / Math.max(1, to - from)) * parts));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}
