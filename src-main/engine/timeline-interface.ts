import type { RunTimeline, TimelineNews } from "#shared/domain/timeline/timeline.ts";

export interface TimelineView {
  /** All of it. */
  current(): RunTimeline;
  /** What nobody was told yet; null where nothing is new. */
  news(): TimelineNews | null;
  /** A card was put, answered or replaced. */
  cardsChanged(): void;
}
