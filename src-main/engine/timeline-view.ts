/** The timeline of a run for windows: computed from its journal, and sent incrementally. */
import { askerOf, kindOfCard } from "#shared/contract/cards.ts";
import type { MessageView } from "#shared/contract/views/message.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import type { RunTimeline } from "#shared/domain/timeline/timeline.ts";
import type { TimelineState } from "#shared/domain/timeline/timeline-events.ts";
import { timelineNews } from "#shared/domain/timeline/timeline-news.ts";
import { type TimelineParts, timelineOf } from "#shared/domain/timeline/timeline-of.ts";
import type { JournalCard } from "../journal/recording-rows.ts";
import { allMessages } from "./orchestrators/messages.ts";
import type { RunReader } from "./ports.ts";
import type { TimelineView } from "./timeline-interface.ts";

interface Source {
  readonly reader: () => RunReader;
  readonly state: () => TimelineState;
  readonly cards: () => readonly JournalCard[];
}

export function createTimelineView({ reader, state, cards }: Source): TimelineView {
  let published: RunTimeline | null = null;
  let known: readonly JournalCard[] | null = null;
  let made: { readonly of: readonly unknown[]; readonly timeline: RunTimeline } | null = null;

  const current = (): RunTimeline => {
    const run = reader();
    known ??= cards();
    const { messages, putAwayMessages } = run.facts;
    const of = [state(), known, run.changes, putAwayMessages, isOver(run.state) && messages];
    // Asked for twenty times a second, and mostly nothing of it has changed.
    if (made?.of.every((one, index) => one === of[index])) return made.timeline;
    const timeline = timelineOf(state(), timelineParts(known, allMessages(run)));
    made = { of, timeline };
    return timeline;
  };
  return {
    current,
    news() {
      const now = current();
      if (now === published) return null;
      const news = timelineNews(published, now);
      published = now;
      return news;
    },
    cardsChanged() {
      known = null;
    },
  };
}

/** The parts of a timeline in addition to its events. */
export function timelineParts(cards: readonly JournalCard[], written: readonly MessageView[]): TimelineParts {
  return {
    written,
    awaited: cards.flatMap(({ item, answeredAt }) =>
      kindOfCard(item).isInert === true
        ? []
        : [
            {
              worker: askerOf(item),
              at: item.at,
              answeredAt,
              waits: kindOfCard(item).askerWaits ?? ("at-once" as const),
            },
          ],
    ),
    asked: cards.flatMap(({ item, answeredAt, decision }) =>
      item.kind === "align-request"
        ? [
            {
              ...{ id: item.id, from: item.from, text: item.question, at: item.at, answeredAt },
              answer: decision?.kind === "answer" ? decision.text : null,
            },
          ]
        : [],
    ),
    proposed: cards.flatMap(({ item, answeredAt, decision }) =>
      item.kind === "mutation"
        ? [
            {
              ...{ card: item.id, orchestrator: item.from, title: item.title, at: item.at, answeredAt },
              isApproved: decision?.kind === "approve",
              binds: item.binds,
              conflicts: item.conflicts.map(({ worker }) => worker),
            },
          ]
        : [],
    ),
  };
}
