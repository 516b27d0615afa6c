/** Which mistakes are planted into a commit, and where: the same for the same commit. */
import { contentHash } from "../text/content-hash.ts";
import { type PlantedKind, plantedKinds } from "../validation/calibration.ts";
import { decisionNotFollowed, decisionsFor, type PlantedDecision } from "./decision-not-followed.ts";
import { droppedTest } from "./dropped-test.ts";
import { injectedInstruction } from "./injected-instruction.ts";
import { offByOne } from "./off-by-one.ts";
import { type Place, planted } from "./place.ts";
import { removedCheck } from "./removed-check.ts";
import { type SourceFile, type SourceLines, sourceLines } from "./source-file.ts";
import { swallowedError } from "./swallowed-error.ts";
import { wrongUnit } from "./wrong-unit.ts";

/** One mistake in one file. */
export interface Planting {
  readonly kind: PlantedKind;
  readonly path: string;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly what: string;
  /** The whole file with it. */
  readonly text: string;
}

export interface ChosenPlantings {
  readonly plantings: readonly Planting[];
  /** Kinds for which these files have no place. */
  readonly missing: readonly PlantedKind[];
  /** Told to the panel with every sample, the good ones too. */
  readonly decisions: readonly PlantedDecision[];
}

const placesOf = (kind: PlantedKind, file: SourceLines, files: readonly SourceLines[]): readonly Place[] => {
  switch (kind) {
    case "dropped-test":
      return droppedTest(file);
    case "swallowed-error":
      return swallowedError(file);
    case "wrong-unit":
      return wrongUnit(file);
    case "removed-check":
      return removedCheck(file);
    case "off-by-one":
      return offByOne(file);
    case "injected-instruction":
      return injectedInstruction(file);
    case "decision-not-followed":
      return decisionNotFollowed(file, files);
  }
};

/** Whether it touches what the commit itself brought. */
const isOwn = ({ own }: SourceLines, { from, to }: Place): boolean => {
  for (let line = from; line <= to; line += 1) if (own.has(line + (from === to ? 0 : 1))) return true;
  return false;
};

/**
 * Looks for places in the files that a commit changes, its own lines before others.
 *
 * @param perKind how many of each kind, as far as there are places
 * @param seed chooses among many: the commit's id
 */
export function choosePlantings(
  files: readonly SourceFile[],
  { perKind, seed }: { readonly perKind: number; readonly seed: string },
): ChosenPlantings {
  const sources = files.map(sourceLines).filter((file) => file !== null);
  const plantings: Planting[] = [];
  const missing: PlantedKind[] = [];
  const isTaken = new Set<string>();
  for (const kind of plantedKinds) {
    const found = sources
      .flatMap((file) =>
        placesOf(kind, file, sources).map((place) => ({
          file,
          place,
          text: planted(file, place),
          key: `${file.path}:${place.from}`,
          order: contentHash(`${seed} ${kind} ${file.path} ${place.from}`),
        })),
      )
      .filter(({ file, text }) => text !== file.lines.join("\n"))
      // One place is used once as long as there are others.
      .sort(
        (a, b) =>
          Number(isOwn(b.file, b.place)) - Number(isOwn(a.file, a.place)) ||
          Number(isTaken.has(a.key)) - Number(isTaken.has(b.key)) ||
          (a.order < b.order ? -1 : 1),
      )
      .slice(0, perKind);
    if (found.length === 0) missing.push(kind);
    for (const { file, place, text, key } of found) {
      isTaken.add(key);
      plantings.push({ kind, path: file.path, line: place.from + 1, what: place.what, text });
    }
  }
  return { plantings, missing, decisions: decisionsFor(sources) };
}
