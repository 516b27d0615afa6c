import { useChange } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";
import { useShownDraft } from "../../state/plan-draft.ts";
import { useSelection } from "../../state/selection-store.ts";
import { workerOfKey } from "../../state/worker-key.ts";
import { partOfKey } from "../plan/plan-parts.ts";
import { ChangeInspector } from "./change-inspector.tsx";
import { ForkInspector } from "./fork-inspector.tsx";
import { PlanPartInspector } from "./plan-part-inspector.tsx";
import { RunOverview } from "./run-overview.tsx";

/** The selected change from every side; without a selection, the run as a whole. */
export function InspectorPanel() {
  const selected = useSelection((state) => state.selected);
  const change = useChange(selected);
  const run = useHost((state) => state.run);
  const draft = useShownDraft();
  const part = partOfKey(selected);
  const worker = run?.workers.find(({ name }) => name === workerOfKey(selected));
  return (
    <section aria-label="Inspector" className="h-full min-h-0">
      {change && selected ? (
        <ChangeInspector key={selected} change={change} />
      ) : run && worker?.fork ? (
        <ForkInspector key={worker.name} run={run.id} worker={worker} fork={worker.fork} />
      ) : draft && part !== null ? (
        <PlanPartInspector draft={draft} part={part} />
      ) : run ? (
        <RunOverview run={run} />
      ) : (
        // The graph beside it says how to begin.
        <p className="px-4 py-3 text-sm text-faint">Select a change to see it here.</p>
      )}
    </section>
  );
}
