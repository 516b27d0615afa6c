/** A recorded run, at any moment of it: the same views that it had while it went on, made by the same code. */
import type { InboxItem } from "#shared/contract/cards.ts";
import type { MessageView } from "#shared/contract/views/message.ts";
import type { ReplayMoment } from "#shared/contract/views/replay.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { drawnTime } from "#shared/domain/timeline/drawn-time.ts";
import type { RunTimeline, TimelineBreak } from "#shared/domain/timeline/timeline.ts";
import { timelineOf } from "#shared/domain/timeline/timeline-of.ts";
import type { Change } from "#shared/graph/change.ts";
import { reduceRun } from "#shared/run/reduce.ts";
import { newRun, type RunState } from "#shared/run/state.ts";
import { allMessages } from "../engine/orchestrators/messages.ts";
import { timelineParts } from "../engine/timeline-view.ts";
import { runView } from "../engine/view.ts";
import type { JournalCard } from "../journal/recording-rows.ts";
import { countUpTo, keptStates, risingTimes } from "./kept-states.ts";
import { cardMoments, describeEvent } from "./moment-words.ts";
import { createPastConversations } from "./past-conversations.ts";
import { createPastSpending } from "./past-spending.ts";
import { recordedRun } from "./recorded-run.ts";
import type { Recording } from "./recording.ts";
import { createTaskTitles } from "./task-titles.ts";

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
  /** When nobody worked; the oldest first. */
  readonly breaks: readonly TimelineBreak[];
  /** @param changes the run's changes as the graph had them then */
  viewsAt(at: number, changes?: readonly Change[]): RecordedViews;
}

/** A file is tried before anybody sees it: what its events came to then is not reduced again. */
const known = new WeakMap<Recording, Replay>();

export function createReplay(recording: Recording): Replay {
  const replay = known.get(recording) ?? newReplay(recording);
  known.set(recording, replay);
  return replay;
}

function newReplay(recording: Recording): Replay {
  const past = {
    states: pastStates(recording),
    conversations: createPastConversations(recording),
    spending: createPastSpending(recording),
  };
  const eventTimes = risingTimes(recording.moments);
  const allTimes = timesOf(recording);
  const from = Math.min(recording.startedAt, allTimes[0] ?? recording.startedAt);
  const to = endOf(recording) ?? allTimes.at(-1) ?? from;
  const times = allTimes.filter((at) => at <= to);
  const written = timelineParts(answeredBy(recording, to), []);
  return {
    recording,
    from,
    to,
    times,
    moments: momentsOf(recording).filter(({ at }) => at <= to),
    breaks: timelineOf(past.states(eventTimes.length).timeline, written).breaks,
    viewsAt(at, changes = []) {
      const count = countUpTo(eventTimes, at);
      const run = recordedRun(recording, past, {
        at,
        count,
        changes: changesOfRun(recording.run, changes),
      });
      const messages = allMessages(run);
      return {
        run: runView(run),
        timeline: timelineOf(past.states(count).timeline, timelineParts(answeredBy(recording, at), messages)),
        inbox: cardsAt(recording, at),
        messages,
      };
    },
  };
}

/** The run after any number of its events. */
export const pastStates = ({ run, startedAt, input, moments }: Recording): ((count: number) => RunState) =>
  keptStates(moments, newRun(run, startedAt, input.root), (state, { at, event }) =>
    reduceRun(state, event, at),
  );

const changesResult: ReadonlySet<string> = new Set([
  ...(["ResultLanded", "LandingUndone", "LandingRedone", "LandingReverted"] as const),
]);

/**
 * When a run that is over ended, or its result was last moved; null while it is not over. What is journalled whenever its
 * repository is opened later is no part of the run's time.
 */
const endOf = ({ endedAt, moments }: Recording): number | null =>
  endedAt === null
    ? null
    : Math.max(endedAt, moments.findLast(({ event }) => changesResult.has(event.kind))?.at ?? endedAt);

function timesOf({ moments, conversations, spending, cards }: Recording): readonly number[] {
  const lists: readonly (readonly { readonly at: number }[])[] = [
    moments,
    ...Object.values(conversations),
    spending,
    cards.map(({ item }) => item),
  ];
  const answered = cards.flatMap(({ answeredAt }) => answeredAt ?? []);
  // Numbers in a row are filled and sorted far quicker than those of a list.
  const times = new Float64Array(lists.reduce((sum, { length }) => sum + length, answered.length));
  times.set(answered);
  let filled = answered.length;
  for (const list of lists)
    for (let index = 0; index < list.length; index++) times[filled++] = list[index]?.at ?? 0;
  return withoutRepeats(times.sort());
}

function withoutRepeats(sorted: Float64Array): readonly number[] {
  let kept = 0;
  for (const time of sorted) if (kept === 0 || time !== sorted[kept - 1]) sorted[kept++] = time;
  return [...sorted.subarray(0, kept)];
}

function momentsOf({ moments, cards }: Recording): readonly ReplayMoment[] {
  const titles = createTaskTitles();
  return [
    ...moments.flatMap(({ at, event }) => {
      titles.note(event);
      const words = describeEvent(event, titles);
      return words ? [{ at, ...words }] : [];
    }),
    ...cards.flatMap(cardMoments),
  ].toSorted((one, other) => one.at - other.at);
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

/** How much happened in each of so many equal parts of a replay's time as it is drawn. */
export function densityOf({ times, from, to, breaks }: Replay, parts: number): readonly number[] {
  const { drawn } = drawnTime(breaks, from);
  const length = Math.max(1, drawn(to) - from);
  const counts = new Array<number>(parts).fill(0);
  for (const time of times) {
    const part = Math.min(parts - 1, Math.floor(((drawn(time) - from) / length) * parts));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}
