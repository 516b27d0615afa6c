/** Where two tasks that claim one file meet in it, by the symbols that they name or mention. */

import { asGlob, fitsGlob } from "../files/glob.ts";
import { languageOf } from "../imports/import-graph.ts";
import {
  type Outline,
  type Outlines,
  type Place,
  type PlacesMeeting,
  placesMeet,
  placesMentioned,
  placesNamed,
  symbolsNamed,
} from "../symbols/outline.ts";
import { shownName } from "../text/shown-text.ts";
import type { PlannedTask } from "./plan.ts";

/** The file and the name of an entry of `symbols`: `src/api.ts#UserStore.save`. Without a file: any that the task claims. */
function entryOf(entry: string): { readonly path: string | null; readonly name: string } {
  const at = entry.lastIndexOf("#");
  return at < 0
    ? { path: null, name: entry }
    : { path: asGlob(entry.slice(0, at).trim()), name: entry.slice(at + 1) };
}

/** Files that a task names one by one, not by folders or globs. */
const filesNamed = ({ files, symbols = [] }: PlannedTask): readonly string[] => [
  ...files.map(asGlob).filter((claim) => !claim.includes("*")),
  ...symbols.flatMap((entry) => entryOf(entry).path ?? []),
];

/** The task with the files of its symbols among its claims. */
export function withFilesOfSymbols(task: PlannedTask): PlannedTask {
  const isClaimed = (path: string) => task.files.some((claim) => fitsGlob(asGlob(claim))(path));
  const missing = (task.symbols ?? [])
    .flatMap((entry) => entryOf(entry).path ?? [])
    .filter((path) => !isClaimed(path));
  return missing.length === 0 ? task : { ...task, files: [...task.files, ...new Set(missing)] };
}

/** The parsed files that decide about overlaps of a plan: those that two tasks name. */
export function filesToOutline(tasks: readonly PlannedTask[]): readonly string[] {
  const seen = new Set<string>();
  const all = tasks.flatMap((task) => [...new Set(filesNamed(task))]);
  const globs = tasks.some(({ files }) => files.some((claim) => asGlob(claim).includes("*")));
  const shared = all.filter((path) => globs || seen.has(path) || !seen.add(path));
  return [...new Set(shared)].filter((path) => languageOf(path) !== null);
}

interface Known {
  readonly places: readonly Place[];
  /** The task names them; else its text mentions them. */
  readonly isNamed: boolean;
}

/** Where a task changes a file; null if it does not say. */
function placesOf(task: PlannedTask, path: string, outline: Outline): Known | null {
  const isOnly = filesNamed(task).every((one) => one === path);
  const named = (task.symbols ?? []).map(entryOf).flatMap(({ path: of, name }) => {
    if (of === null)
      return isOnly || symbolsNamed(outline, name).length > 0 ? placesNamed(outline, name) : [];
    return of === path ? placesNamed(outline, name) : [];
  });
  if (named.length > 0) return { places: named, isNamed: true };
  const mentioned = placesMentioned(outline, `${task.title}\n${task.description}`);
  return mentioned.length === 0 ? null : { places: mentioned, isNamed: false };
}

interface Overlap {
  /** A verb and its object, for "both …"; `{files}` stands for the files. */
  readonly meet: string;
  /** Those in which they meet; none of a whole file. */
  readonly symbols: readonly string[];
}

/** How two tasks that both claim a file meet in it; null if they do not. */
export function overlapIn(
  one: PlannedTask,
  other: PlannedTask,
  claim: string,
  outlines: Outlines,
): Overlap | null {
  const path = asGlob(claim);
  const outline = outlines.get(path);
  if (outline === undefined) return { meet: "claim {files}", symbols: [] };
  const [mine, theirs] = [placesOf(one, path, outline), placesOf(other, path, outline)];
  if (mine === null || theirs === null)
    return { meet: "claim {files} and may change the same lines", symbols: [] };
  const meetings = mine.places.flatMap((place) =>
    theirs.places.flatMap((their) => placesMeet(outline, place, their) ?? []),
  );
  const first = (["same", "neighbours", "end"] as const).find((kind) =>
    meetings.some((meeting) => meeting.kind === kind),
  );
  if (first === undefined) return null;
  const symbols = [
    ...new Set(meetings.filter(({ kind }) => kind === first).flatMap(({ names }) => names)),
  ].map(shownName);
  const seem = mine.isNamed && theirs.isNamed ? "" : "seem to ";
  return { meet: seem + formatMeeting(first, symbols), symbols };
}

function formatMeeting(kind: PlacesMeeting["kind"], symbols: readonly string[]): string {
  const names = [...symbols.slice(0, 4), ...(symbols.length > 4 ? ["more"] : [])].join(", ");
  switch (kind) {
    case "same":
      return `change ${names} in {files}`;
    case "neighbours":
      return `change neighbouring lines in {files} (${names})`;
    case "end":
      return `add to the end of ${symbols.length === 0 ? "" : `${names} in `}{files}, which merges only if they add in different places`;
  }
}

/**
 * What the author of a plan may have meant by names that are not in a file, or are there several times. A new symbol is named,
 * too, so that none of it is an error.
 */
export function symbolHints(tasks: readonly PlannedTask[], outlines: Outlines): readonly string[] {
  return tasks.flatMap(({ id, symbols = [] }) =>
    symbols.flatMap((entry) => {
      const { path, name } = entryOf(entry);
      const outline = path === null ? undefined : outlines.get(path);
      if (path === null || outline === undefined) return [];
      const found = symbolsNamed(outline, name).map((symbol) => symbol.name);
      if (found.length === 1) return [];
      return found.length === 0
        ? [`"${id}" names ${name} in ${path}, which is not there now. It is taken for a new symbol.`]
        : [`"${id}" names ${name} in ${path}, which may be ${found.join(", ")}. All of them count.`];
    }),
  );
}
