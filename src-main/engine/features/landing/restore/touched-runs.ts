/** What becomes of each run's record where its repository goes back. */
import type { RestoredRun, RestorePreview } from "#shared/contract/views/restore.ts";
import type { RestoredChange } from "#shared/graph/restored-graph.ts";
import type { Journal } from "../../../../journal/journal.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { recordedState } from "../../../recorded-state.ts";
import { rootOf } from "../../../workers/hierarchy.ts";

interface Records {
  readonly journal: Pick<Journal, "runs" | "events">;
  readonly allGoing: () => readonly Pick<RunReader, "id" | "row" | "workers">[];
  readonly shown: () => readonly Pick<Run, "id" | "facts">[];
}

/** A run is touched where anything of its changes or of its agents' workspaces is not what it was. */
export function touchedRuns(
  { journal, allGoing, shown }: Records,
  { changes, bookmarks }: Pick<RestorePreview, "changes" | "bookmarks">,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly RestoredRun[] {
  const touched = (run: string) => changes.filter((change) => change.run === run);
  const going = allGoing().map((run): RestoredRun => {
    const own = touched(run.id);
    const isTouched =
      own.length > 0 || [...run.workers.keys()].some((worker) => before[worker] !== after[worker]);
    return {
      id: run.id,
      root: rootOf(run),
      goal: run.row.input.goal,
      becomes: isTouched ? "ends" : "stays",
      loses: isTouched ? losses(own) : [],
    };
  });
  const ids = new Set(going.map(({ id }) => id));
  const ofLanding = (run: string): readonly string[] => {
    if (bookmarks.length === 0) return [];
    const { landing } = shown().find(({ id }) => id === run)?.facts ?? recordedState(journal, run);
    const { landed } = landing;
    const moved = bookmarks.find(({ name }) => name === landed?.bookmark);
    if (!landed || !moved) return [];
    const { bookmark, move, undoneAt } = landed;
    if (undoneAt === null)
      return moved.from?.commitId === move.to ? [`It landed on ${bookmark}, which moves back.`] : [];
    return moved.to?.commitId === move.to ? [`Its landing on ${bookmark} is restored.`] : [];
  };
  const over = journal.runs().flatMap(({ id, input }): readonly RestoredRun[] => {
    if (ids.has(id)) return [];
    const [own, landing] = [touched(id), ofLanding(id)];
    if (own.length === 0 && landing.length === 0) return [];
    const { goal, root } = input;
    return [{ id, root, goal, becomes: "over", loses: [...landing, ...losses(own)] }];
  });
  return [...going, ...over];
}

const counted = (count: number): string => `${count} ${count === 1 ? "change" : "changes"}`;

function losses(own: readonly RestoredChange[]): readonly string[] {
  const gone = own.filter(({ how }) => how === "goes").length;
  const back = own.filter(({ how }) => how === "comes back").length;
  const others = own.length - gone - back;
  return [
    ...(gone > 0 ? [`${counted(gone)} of this run ${gone === 1 ? "is" : "are"} removed.`] : []),
    ...(back > 0 ? [`${counted(back)} of this run ${back === 1 ? "is" : "are"} restored.`] : []),
    ...(others > 0
      ? [
          `${counted(others)} of this run ${others === 1 ? "returns to its" : "return to their"} earlier state.`,
        ]
      : []),
  ];
}
