import type { RunTimeline, TimelineNews } from "#shared/domain/timeline/timeline.ts";

export interface TimelineView {
  /** All of it. */
  current(): RunTimeline;
  /** Items that were not published yet; null if there are none. */
  news(): TimelineNews | null;
  /** A card was put, answered or replaced. */
  cardsChanged(): void;
}
