import type { Repository } from "../../jj/repository-interface.ts";
import type { Journal } from "../../journal/journal.ts";
import { createPatternStore } from "../../patterns/pattern-store.ts";
import type { PatternStore } from "../../patterns/patterns-interface.ts";

/** The patterns of a repository, by what people decided in its journal; for a run or for no run at all. */
export const patternStoreOf = ({
  repository,
  journal,
  now,
}: {
  readonly repository: Repository;
  readonly journal: Journal;
  readonly now: () => number;
}): PatternStore => createPatternStore({ repository, record: journal, now });
