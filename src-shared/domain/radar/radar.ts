/** Whose current work would conflict, according to unpublished trial merges. Nothing is in conflict yet. (design section 4) */

import { isRoot } from "../change-metadata/address.ts";
import { counted } from "../text/format-text.ts";
import { shownName } from "../text/shown-text.ts";

/** Lines of a file, 1-based, as its trial merge has it; null: the file as a whole. */
export interface FilePlace {
  readonly path: string;
  readonly lines: { readonly from: number; readonly to: number } | null;
}

/** Two agents whose work would conflict. */
export interface RadarPair {
  /**
   * Names of workers; `a` is the first of the two in the order of `byNumber`. One of another run has its address:
   * `O-A-2/agent-4`, or `O-A-2` for work that is together there.
   */
  readonly a: string;
  readonly b: string;
  /** Files on which they meet, in order of their names. */
  readonly files: readonly string[];
  readonly places: readonly FilePlace[];
}

/** Whether a name of the radar is that of another run: an address. */
export const isOfOtherRun = (name: string): boolean => name.includes("/") || isRoot(name);

/** Several agents that meet in one place, named once instead of pair by pair. */
export interface RadarCrowd extends FilePlace {
  /** In the order of `byNumber`. */
  readonly workers: readonly string[];
}

export interface Forecast {
  readonly pairs: readonly RadarPair[];
  readonly crowds: readonly RadarCrowd[];
}

export const noForecast: Forecast = { pairs: [], crowds: [] };

/** One place that a trial merge leaves in conflict, and who meets whom there. */
export interface Meeting extends FilePlace {
  readonly pairs: readonly (readonly [string, string])[];
}

/** More pairs than this say nothing that their places do not. */
const maxPairs = 24;

/**
 * Names in the order that people count in: `agent-2` before `agent-10`.
 * @returns negative when `one` comes first, as `sort` wants it
 */
const byNumber = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true });

/**
 * Gathers what trial merges found place by place into pairs of workers: those that share most files first.
 * @param meetings who meets whom where
 */
export function pairsOf(meetings: readonly Meeting[]): readonly RadarPair[] {
  const found = new Map<string, { readonly a: string; readonly b: string; readonly places: FilePlace[] }>();
  for (const { path, lines, pairs } of meetings)
    for (const [one, other] of pairs) {
      if (one === other) continue;
      const [a = one, b = other] = [one, other].sort(byNumber);
      const key = JSON.stringify([a, b]);
      const known = found.get(key) ?? { a, b, places: [] };
      found.set(key, known);
      if (!known.places.some((place) => isSame(place, { path, lines }))) known.places.push({ path, lines });
    }
  return [...found.values()]
    .map(({ a, b, places }): RadarPair => {
      const files = [...new Set(places.map(({ path }) => path))].sort();
      return { a, b, files, places: places.toSorted(byPlace) };
    })
    .sort(
      (one, other) =>
        other.files.length - one.files.length || byNumber(one.a, other.a) || byNumber(one.b, other.b),
    );
}

/**
 * What is shown: all pairs, or where there are more than `most`, places with those that meet there, and only the pairs
 * that meet elsewhere.
 */
export function forecastOf(meetings: readonly Meeting[], most = maxPairs): Forecast {
  const pairs = pairsOf(meetings);
  if (pairs.length <= most) return { pairs, crowds: [] };
  const crowded = meetings.filter((meeting) => workersAt(meeting).length > 2);
  const rest = pairsOf(meetings.filter((meeting) => !crowded.includes(meeting)));
  return rest.length <= most
    ? { pairs: rest, crowds: crowdsOf(crowded) }
    : { pairs: [], crowds: crowdsOf(meetings) };
}

const workersAt = ({ pairs }: Meeting): readonly string[] =>
  [...new Set(pairs.filter(([one, other]) => one !== other).flat())].sort(byNumber);

const crowdsOf = (meetings: readonly Meeting[]): readonly RadarCrowd[] =>
  meetings
    .map((meeting): RadarCrowd => {
      const { path, lines } = meeting;
      return { path, lines, workers: workersAt(meeting) };
    })
    .filter(({ workers }) => workers.length > 0)
    .sort((one, other) => other.workers.length - one.workers.length || byPlace(one, other));

const byPlace = (one: FilePlace, other: FilePlace): number =>
  one.path === other.path
    ? (one.lines?.from ?? 0) - (other.lines?.from ?? 0)
    : one.path < other.path
      ? -1
      : 1;

/**
 * Whom one worker is about to meet, and where, in pairs and in crowds.
 * @returns each other worker once, in the order of the pairs
 */
export function meetingsOf(
  { pairs, crowds }: Forecast,
  worker: string,
): readonly { readonly other: string; readonly files: readonly string[] }[] {
  const found = new Map<string, readonly string[]>();
  const meet = (other: string, files: readonly string[]) =>
    found.set(other, [...new Set([...(found.get(other) ?? []), ...files])]);
  for (const { a, b, files } of pairs) if (a === worker || b === worker) meet(a === worker ? b : a, files);
  for (const { path, workers } of crowds)
    for (const other of workers.includes(worker) ? workers : []) if (other !== worker) meet(other, [path]);
  return [...found].map(([other, files]) => ({ other, files }));
}

/** Whether two results say the same. */
export const isSameForecast = (one: Forecast, other: Forecast): boolean => isSame(one, other);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** `api.ts, lines 40–60`. */
export function formatPlace({ path, lines }: FilePlace): string {
  if (lines === null) return shownName(path);
  const { from, to } = lines;
  return `${shownName(path)}, ${from === to ? `line ${from}` : `lines ${from}–${to}`}`;
}

/** `api.ts, lines 40–60: 9 agents`. */
export const formatCrowd = (crowd: RadarCrowd): string =>
  `${formatPlace(crowd)}: ${counted(crowd.workers.length, "agent")}`;
