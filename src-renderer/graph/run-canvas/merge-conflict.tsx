import type { WorkerView } from "#shared/contract/views/worker.ts";
import type { Change } from "#shared/graph/change.ts";
import type { CanvasRow } from "#shared/graph/run-canvas/run-canvas.ts";
import { showConflict } from "../../features/conflict/conflict-store.ts";
import { ConflictButton } from "./conflict-button.tsx";
import { transformStyle } from "./transform-style.ts";

interface MergeConflictProps {
  readonly row: Pick<CanvasRow, "line" | "height">;
  readonly worker: Pick<WorkerView, "name" | "conflict"> | null;
  readonly change: Pick<Change, "changeId" | "conflict"> | null;
}

/** px left of where a line ends, so that the sign of its worker stays in sight */
const beforeEnd = 14;
/** px of a row with room below its line, clear of beads, their signs and messages; and how far below that is. */
const minHeightForDetails = 80;
const belowLine = 34;

/** The way into a conflict that is no decision's, where its lane stands now. */
export function MergeConflict({ row: { line, height }, worker, change }: MergeConflictProps) {
  if (worker?.conflict !== "merge" || !change?.conflict || !line) return null;
  return (
    <div
      className="canvas-move pointer-events-none absolute top-0 left-0"
      style={transformStyle({
        x: line.to - beforeEnd,
        y: height / 2 + (height < minHeightForDetails ? 0 : belowLine),
      })}
    >
      <ConflictButton
        label={`conflict in the work of ${worker.name}. Show the sides`}
        data-merge-conflict={worker.name}
        onClick={() => showConflict(change.changeId)}
        className="top-0 right-0 -translate-y-1/2"
      >
        conflict
      </ConflictButton>
    </div>
  );
}
