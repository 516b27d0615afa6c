import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { followConflicts } from "./conflict-causes.ts";
import { conflictCommands, undoResolution } from "./resolve-by-hand.ts";

/** Agents that have to resolve jj's conflicts. */
export const conflicts: Feature<Run> = {
  name: "conflicts",
  commands: conflictCommands,
  undoOperation: undoResolution,
  agents: {
    refuseDone: {
      name: "conflicts",
      why: (_, { conflicts }) =>
        conflicts.length === 0
          ? null
          : `these files still have conflict markers: ${conflicts.map(shownName).join(", ")}. Resolve every one.`,
    },
  },
  onGraph(run) {
    const before = conflictsIn(run.changes.values());
    return async () => {
      await followConflicts(run);
      if (conflictsIn(run.changes.values()) === before) return;
      // Starts an agent that has to resolve one, and resumes one that waited for it.
      run.waiters.wake();
      run.schedule();
    };
  },
};

const conflictsIn = (changes: Iterable<Change>): string =>
  [...changes]
    .flatMap(({ changeId, conflict }) => (conflict ? [changeId] : []))
    .toSorted()
    .join();
