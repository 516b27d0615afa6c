/** Which commits a calibration judges: a good one as it is, and with one mistake each. */
import type { CalibrationSample } from "#shared/contract/views/calibration.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { builtInSample } from "#shared/domain/planting/built-in-sample.ts";
import { choosePlantings, type Planting } from "#shared/domain/planting/choose-plantings.ts";
import type { PlantedDecision } from "#shared/domain/planting/decision-not-followed.ts";
import type { SourceFile } from "#shared/domain/planting/source-file.ts";
import { contentHash } from "#shared/domain/text/content-hash.ts";
import type { PlantedKind } from "#shared/domain/validation/calibration.ts";
import type { HiddenCommit } from "../../../jj/ports/graph-writer.ts";
import type { Repository } from "../../../jj/repository-interface.ts";

/** A sample that is not judged yet. */
export interface ChosenSample {
  readonly told: CalibrationSample;
  /** Null: the good commit as it is. */
  readonly planting: Planting | null;
}

export interface ChosenSamples {
  readonly samples: readonly ChosenSample[];
  /** Kinds for which the commit has no place. */
  readonly builtIn: readonly PlantedKind[];
  /** Told with every sample of the commit, and of the sample that comes with Hox. */
  readonly decisions: Readonly<Record<"own" | "builtIn", readonly PlantedDecision[]>>;
}

/** Longer files are no places for a mistake that somebody is to find. */
const longestFile = 200_000;
/** With fewer good commits a false rejection would hardly be seen. */
const leastControls = 4;
/** For five commits with a mistake two without. */
const controlShare = 0.4;

/** The files of a commit as they stand there, with the lines that it brought. */
async function sourcesOf(
  repository: Repository,
  commit: string,
  diff: string,
  signal: AbortSignal,
): Promise<readonly SourceFile[]> {
  const own = new Map(
    filesOfDiff(diff).map(({ path, added }) => [path, new Set(added.map(({ line }) => line))] as const),
  );
  const texts = await repository.readTexts(commit, [...own.keys()], { maxFileBytes: longestFile, signal });
  return [...texts].map(([path, text]) => ({ path, text, own: own.get(path) ?? new Set() }));
}

const sampleSources = (): readonly SourceFile[] =>
  Object.entries(builtInSample.files).map(([path, text]) => ({
    path,
    text,
    own: new Set(text.split("\n").map((_, at) => at + 1)),
  }));

/** The same for the same commit, so that one that was cut off goes on with what it had chosen. */
export async function chooseSamples(
  repository: Repository,
  of: {
    readonly commit: string;
    readonly diff: string;
    readonly perKind: number;
    readonly signal: AbortSignal;
  },
): Promise<ChosenSamples> {
  const seed = of.commit;
  const own = choosePlantings(await sourcesOf(repository, of.commit, of.diff, of.signal), {
    perKind: of.perKind,
    seed,
  });
  const ready = choosePlantings(sampleSources(), { perKind: of.perKind, seed });
  const filled = ready.plantings.filter(({ kind }) => own.missing.includes(kind));
  const planted = own.plantings.length + filled.length;
  const controls = Math.max(leastControls, Math.round(planted * controlShare));
  const ofBuiltIn =
    filled.length === 0 ? 0 : Math.max(1, Math.round((controls * filled.length) / Math.max(1, planted)));
  const samples = [
    ...own.plantings.map((planting) => sampleOf(planting, false)),
    ...filled.map((planting) => sampleOf(planting, true)),
    ...Array.from({ length: controls }, (_, at) => sampleOf(null, at < ofBuiltIn)),
  ];
  return {
    // Mixed, so that one that is cut off has seen some of everything.
    samples: samples
      .map((sample, at) => ({ sample, order: contentHash(`${seed} ${at}`) }))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
      .map(({ sample }) => sample),
    builtIn: own.missing,
    decisions: { own: own.decisions, builtIn: ready.decisions },
  };
}

const sampleOf = (planting: Planting | null, isBuiltIn: boolean): ChosenSample => ({
  planting,
  told: {
    planted: planting?.kind ?? null,
    isBuiltIn,
    place: planting === null ? "" : `${planting.path}:${planting.line}`,
    what: planting?.what ?? "",
    judged: null,
  },
});

/** A sample as a commit. */
export interface PlantedCommit {
  readonly commit: string;
  /** Null: of the person's own commit, its parents. */
  readonly from: string | null;
}

/**
 * Makes a commit of each, which nobody sees on the graph and which looks as the good one does: no name, no description and
 * no parent tells what it is.
 */
export async function plantSamples(
  repository: Repository,
  good: string,
  samples: readonly ChosenSample[],
): Promise<readonly PlantedCommit[]> {
  const withSample = samples.some(({ told }) => told.isBuiltIn);
  const sample: readonly HiddenCommit[] = withSample
    ? [
        { on: null, description: "Weather", files: builtInSample.base },
        { on: 0, description: builtInSample.description, files: builtInSample.files },
      ]
    : [];
  const { commitIds } = await repository.hiddenCommits(
    [
      ...sample,
      ...samples.map(
        ({ told, planting }): HiddenCommit => ({
          copyOf: told.isBuiltIn ? 1 : good,
          files: planting === null ? {} : { [planting.path]: planting.text },
        }),
      ),
    ],
    { actor: "hox" },
  );
  const [base = null] = withSample ? commitIds : [];
  return commitIds
    .slice(sample.length)
    .map((commit, at) => ({ commit, from: samples[at]?.told.isBuiltIn ? base : null }));
}
