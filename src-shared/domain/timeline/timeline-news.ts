/** The difference between two timelines, and applying it. */
import type { RunTimeline, TimelineNews, TimelineTrack } from "./timeline.ts";

/**
 * What is new.
 * @param before null: nothing is known of this run
 * @returns null where nothing is
 */
export function timelineNews(before: RunTimeline | null, after: RunTimeline): TimelineNews | null {
  const { run, startedAt, endedAt, messages, decisions, breaks } = after;
  if (before === null || before.run !== run)
    return {
      ...{ run, startedAt, endedAt, messages, decisions, breaks },
      order: after.tracks.map(({ id }) => id),
      tracks: after.tracks,
    };
  const known = new Set(before.tracks);
  const tracks = after.tracks.filter((track) => !known.has(track));
  const order = after.tracks.map(({ id }) => id);
  const news: TimelineNews = {
    ...{ run, startedAt, endedAt, tracks },
    ...(isSameOrder(before.tracks, order) ? {} : { order }),
    ...(isSame(before.messages, messages) ? {} : { messages }),
    ...(isSame(before.decisions, decisions) ? {} : { decisions }),
    ...(isSame(before.breaks, breaks) ? {} : { breaks }),
  };
  const saysNothing = tracks.length === 0 && Object.keys(news).length === 4;
  return saysNothing && before.endedAt === endedAt && before.startedAt === startedAt ? null : news;
}

const isSameOrder = (tracks: readonly TimelineTrack[], order: readonly string[]): boolean =>
  tracks.length === order.length && tracks.every(({ id }, index) => id === order[index]);

// Short, and rebuilt from their parts each time.
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The timeline after the news. Of a run that is not known, they must be all of it. */
export function withTimelineNews(before: RunTimeline | null, news: TimelineNews): RunTimeline {
  const known = before?.run === news.run ? before : null;
  const byId = new Map([...(known?.tracks ?? []), ...news.tracks].map((track) => [track.id, track]));
  const order = news.order ?? known?.tracks.map(({ id }) => id) ?? [];
  return {
    run: news.run,
    startedAt: news.startedAt,
    endedAt: news.endedAt,
    tracks: order.flatMap((id) => byId.get(id) ?? []),
    messages: news.messages ?? known?.messages ?? [],
    decisions: news.decisions ?? known?.decisions ?? [],
    breaks: news.breaks ?? known?.breaks ?? [],
  };
}

/** What both say, the later one last. */
export function joinTimelineNews(earlier: TimelineNews, later: TimelineNews): TimelineNews {
  if (earlier.run !== later.run) return later;
  const tracks = new Map([...earlier.tracks, ...later.tracks].map((track) => [track.id, track]));
  return { ...earlier, ...later, tracks: [...tracks.values()] };
}
