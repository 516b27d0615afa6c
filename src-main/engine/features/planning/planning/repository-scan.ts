import { setImmediate as others } from "node:timers/promises";
import {
  type ImportGraph,
  importGraphSteps,
  isManifest,
  languageOf,
} from "#shared/domain/imports/import-graph.ts";
import { type Coverage, importMapLines } from "#shared/domain/imports/import-map.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { filesToOutline } from "#shared/domain/plan/symbol-overlap.ts";
import type { Outlines } from "#shared/domain/symbols/outline.ts";
import { type PromptText, quoteText } from "#shared/domain/text/prompt-text.ts";
import { readImports } from "../../../../imports/read-imports.ts";
import { readOutlines } from "../../../../imports/read-symbols.ts";
import type { Repository } from "../../../../jj/ports/repository-interface.ts";
import { explain } from "../../../engine-errors.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run } from "../../../ports.ts";

/** What the files of one commit say about each other. */
export interface RepositoryScan {
  readonly graph: ImportGraph;
  readonly coverage: Coverage;
}

export interface ScanLimits {
  readonly files: number;
  readonly bytes: number;
  readonly fileBytes: number;
  /** For reading the texts, and then for reading what they import. */
  readonly ms: number;
  readonly parseMs: number;
}

/**
 * The user waits for the first model request: what a large repository has beyond this is left out and
 * reported.
 */
export const scanLimits: ScanLimits = {
  files: 4_000,
  bytes: 16_000_000,
  fileBytes: 400_000,
  ms: 3_000,
  parseMs: 6_000,
};

/** Vendored or generated code tells nothing about how this repository is structured. */
const foreign =
  /(?:^|\/)(?:node_modules|vendor|third_party|dist|\.venv|venv|site-packages)\/|\.min\.[cm]?js$/u;

/** Reads the source files of a commit, within limits, and what they import (HOX-9.2). */
export async function scanRepository(
  repository: Repository,
  commit: string,
  limits: ScanLimits = scanLimits,
  signal?: AbortSignal,
): Promise<RepositoryScan> {
  const files = await repository.listFiles(commit);
  const sources = files.filter((path) => languageOf(path) !== null && !foreign.test(path)).toSorted(byDepth);
  const manifests = files.filter((path) => isManifest(path) && !foreign.test(path)).toSorted(byDepth);
  const texts = await repository.readTexts(commit, [...manifests, ...sources].slice(0, limits.files), {
    maxFileBytes: limits.fileBytes,
    maxBytes: limits.bytes,
    maxMs: limits.ms,
    ...(signal ? { signal } : {}),
  });
  const turns = takeTurns(signal);
  const begun = performance.now();
  const inTime = async (): Promise<boolean> => {
    await turns();
    return performance.now() - begun < limits.parseMs;
  };
  const sourceTexts = new Map([...texts].filter(([path]) => languageOf(path) !== null));
  const manifestTexts = new Map([...texts].filter(([path]) => isManifest(path)));
  const steps = importGraphSteps(files, manifestTexts, await readImports(sourceTexts, inTime));
  let step = steps.next();
  for (; !step.done; step = steps.next()) await turns();
  const graph = step.value;
  return { graph, coverage: { sources: sources.length, skipped: sources.length - graph.files.length } };
}

/** Lets agents and the window have their turn every few milliseconds. */
function takeTurns(signal: AbortSignal | undefined): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < 8) return;
    await others();
    signal?.throwIfAborted();
    begun = performance.now();
  };
}

/** Files near the root are read first, in case of a limit. */
const byDepth = (one: string, other: string): number =>
  one.split("/").length - other.split("/").length || (one < other ? -1 : 1);

/**
 * The scan of a run's base commit, once per process. Optional: if it fails, the user is notified and the plan
 * is made without it (design section 5).
 */
export function scanOf(run: Run): Promise<RepositoryScan | null> {
  const { onto } = run.facts;
  return onto === null ? Promise.resolve(null) : run.once.make("scan", () => scan(run, onto.commitId));
}

async function scan(run: Run, commit: string): Promise<RepositoryScan | null> {
  // A jj that hangs must not keep a plan from being made.
  const signal = AbortSignal.any([
    run.runEnded.signal,
    AbortSignal.timeout(scanLimits.ms * 3 + scanLimits.parseMs),
  ]);
  try {
    return await scanRepository(run.repository, commit, scanLimits, signal);
  } catch (error) {
    if (!run.runEnded.signal.aborted)
      warn(
        run,
        `Could not read the imports of the repository: ${explain(error).message}`,
        "Planning continues without them.",
      );
    return null;
  }
}

/**
 * The outlines of files that several tasks of a plan claim, at the run's base commit. Optional like the scan: without them
 * the plan is checked by file.
 */
export async function outlinesFor(run: Run, { tasks }: Plan): Promise<Outlines> {
  const { onto } = run.facts;
  const paths = filesToOutline(tasks);
  if (onto === null || paths.length === 0) return new Map();
  return run.once.make(`outlines ${paths.join("\n")}`, async () => {
    const signal = AbortSignal.any([run.runEnded.signal, AbortSignal.timeout(scanLimits.ms * 3)]);
    try {
      const { fileBytes, bytes, ms, files } = scanLimits;
      const limits = { maxFileBytes: fileBytes, maxBytes: bytes, maxMs: ms, signal };
      const texts = await run.repository.readTexts(onto.commitId, paths.slice(0, files), limits);
      return await readOutlines(texts, takeTurns(signal));
    } catch (error) {
      if (!run.runEnded.signal.aborted)
        warn(
          run,
          `Could not read the symbols of files that several tasks claim: ${explain(error).message}`,
          "The plan is checked by file.",
        );
      return new Map();
    }
  });
}

export const importMap = (scan: RepositoryScan | null): readonly PromptText[] =>
  scan === null ? [] : importMapLines(scan.graph, scan.coverage).map(quoteText);
