import type { patternCommands } from "#shared/contract/commands/pattern.ts";
import type { PatternSuggestion } from "#shared/contract/views/pattern.ts";
import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import { noUses } from "#shared/domain/patterns/pattern-use.ts";
import { fittingPatterns, gist } from "../../../../patterns/learned.ts";
import type { PatternStore } from "../../../../patterns/patterns-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { chooseRunBase } from "../../../graph-sync/run-base.ts";
import type { CommandScope, EngineCommands } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { patternStoreOf } from "../../../run/pattern-store-of.ts";
import { approvePattern, previewPattern } from "./preview-pattern.ts";
import { listPatterns, patternDiff, patternNamed, patternViews } from "./views.ts";

type LibraryCommands = EngineCommands<Exclude<keyof typeof patternCommands, "pattern.editCard">>;

/** What earlier runs taught, for a person: read, approved, changed, retired and shared, with a run or without. (HOX-8) */
export const patternLibrary: Feature<Run> = {
  name: "pattern-library",
  commands: createLibrary,
};

function createLibrary(scope: CommandScope<Run>): LibraryCommands {
  const { journal, now, allGoing } = scope;
  const store = patternStoreOf(scope);
  const parts = { journal, store, now };
  const known = async () => listPatterns(journal, await store.branch());
  return {
    "pattern.list": async () => patternViews(journal, await known()),
    "pattern.diff": async ({ id, from, to }) => patternDiff(patternNamed(await known(), id), from, to),
    "pattern.preview": (asked) => previewPattern(parts, asked),
    "pattern.approve": (asked) => approvePattern(parts, asked),
    async "pattern.retire"({ id, reason }) {
      const { file, record } = patternNamed(await known(), id);
      if (file === null && record?.retired)
        throw new EngineRefusal(`${id} is already retired.`, "Restore it with `hox patterns restore`.");
      await store.retire(id, reason);
      for (const run of allGoing()) forget(run, id);
    },
    async "pattern.restore"({ id, version }) {
      patternNamed(await known(), id);
      return store.restore(id, version ?? null);
    },
    "pattern.suggest": ({ goal }) => suggested(scope, store, goal),
    "pattern.pull": () => store.pull(),
  };
}

/** Whoever begins from now on in a run that goes on is not told it any more. */
function forget(run: Run, id: string): void {
  const { patterns, goalContext } = run.facts;
  const kept = patterns.filter((pattern) => pattern.id !== id);
  if (kept.length < patterns.length && goalContext !== null)
    run.append({ kind: "PatternsLoaded", patterns: kept, work: goalContext });
}

/** By the words of the goal, and by the files that a run would be built on. */
async function suggested(
  { repository, journal }: CommandScope<Run>,
  store: PatternStore,
  goal: string,
): Promise<readonly PatternSuggestion[]> {
  if (goal.trim() === "") return [];
  const { patterns } = await store.trusted();
  if (patterns.length === 0) return [];
  const { change } = await chooseRunBase(repository, null);
  const work = contextOf(goal, await repository.listFiles(change.commitId));
  const uses = journal.patternUses();
  return fittingPatterns(patterns, work).map(({ pattern, relevance }) => ({
    id: pattern.id,
    name: pattern.name,
    category: pattern.category,
    title: pattern.title,
    confidence: pattern.confidence,
    gist: gist(pattern),
    why: relevance.why,
    uses: uses.get(pattern.id) ?? noUses,
  }));
}
