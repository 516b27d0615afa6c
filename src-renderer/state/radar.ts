/** What the conflict radar says, as the same objects until it changes: a run's view arrives twenty times a second. */

import type { RunView } from "#shared/contract/views/run.ts";
import { formatOrder } from "#shared/domain/radar/collisions.ts";
import { isSameForecast, meetingsOf, noForecast, type RadarPair } from "#shared/domain/radar/radar.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { useHost } from "./host-store.ts";

/** A pair with the changes that its two agents work on. */
export interface RadarLink {
  readonly a: string;
  readonly b: string;
  readonly files: readonly string[];
  /** Change ids. */
  readonly from: string;
  readonly to: string;
}

export type Meetings = ReturnType<typeof meetingsOf>;

const noMeetings: Meetings = [];
let kept = noForecast;
let links: readonly RadarLink[] = [];
let lastRun: RunView | null = null;

/** Takes over a run's view once, however many ask. */
function take(run: RunView | null): void {
  if (run === lastRun) return;
  lastRun = run;
  const forecast = run ? { pairs: run.radar, crowds: run.radarCrowds } : noForecast;
  if (!isSameForecast(kept, forecast)) kept = forecast;
  const next = run && kept.pairs.length > 0 ? linksOf(kept.pairs, run) : [];
  const same =
    next.length === links.length &&
    next.every((link, at) => {
      const old = links[at];
      return old && old.from === link.from && old.to === link.to && old.files === link.files;
    });
  if (!same) links = next;
}

function linksOf(pairs: readonly RadarPair[], run: RunView): readonly RadarLink[] {
  const changes = new Map(run.workers.map(({ name, changeId }) => [name, changeId]));
  return pairs.flatMap(({ a, b, files }): RadarLink[] => {
    const [from, to] = [changes.get(a), changes.get(b)];
    return from && to ? [{ a, b, files, from, to }] : [];
  });
}

const byForecast = new WeakMap<typeof kept, Map<string, Meetings>>();

/** Whom a worker is about to meet; the same list until that changes. */
export function meetingsIn(run: RunView | null, worker: string | null): Meetings {
  take(run);
  if (worker === null || kept.pairs.length + kept.crowds.length === 0) return noMeetings;
  const known = byForecast.get(kept) ?? new Map<string, Meetings>();
  byForecast.set(kept, known);
  const found = known.get(worker) ?? meetingsOf(kept, worker);
  known.set(worker, found);
  return found;
}

export const useMeetings = (worker: string | null): Meetings =>
  useHost((state) => meetingsIn(state.run, worker));

export const useRadarLinks = (): readonly RadarLink[] =>
  useHost((state) => {
    take(state.run);
    return links;
  });

/** What was done about a pair, in a few words; empty while that is nothing. */
export const orderOf = (collisions: RunView["collisions"], one: string, other: string): string => {
  const found = collisions.find(({ a, b }) => (a === one && b === other) || (a === other && b === one));
  return found ? formatOrder(found) : "";
};

/** With whom, in a badge's few words: `agent-2`, `2 agents`. */
export const meetingNames = (meetings: Meetings): string =>
  meetings.length === 1 ? (meetings[0]?.other ?? "none") : counted(meetings.length, "agent");

/** The same for who listens, with the files. */
export const meetingSentence = (meetings: Meetings): string =>
  `would conflict with ${meetings.map(({ other, files }) => `${other} in ${shortList(files, 2)}`).join(" and with ")}`;

/** The tooltip: whom, where, and that nothing has happened yet. */
export const meetingTitle = (meetings: Meetings): string =>
  [
    "A trial merge of the current work would conflict:",
    ...meetings.map(({ other, files }) => `${other}: ${shortList(files)}`),
  ].join("\n");

export const shortList = (files: readonly string[], most = 6): string =>
  files.length <= most
    ? files.map(shownName).join(", ")
    : `${files.slice(0, most).map(shownName).join(", ")} and ${files.length - most} more`;
