import { namesByCommit } from "#shared/graph/change-graph.ts";
import { changeOfKey, useGraph } from "../../state/graph-store.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { meetingsIn } from "../../state/radar.ts";
import { useSelection } from "../../state/selection-store.ts";
import { spoken } from "../model/change-facts.ts";

/** Says the selected change to those who cannot see it move. */
export function LiveRegion() {
  const selected = useSelection((state) => state.selected);
  const text = useGraph((state) => {
    const change = selected && state.graph ? changeOfKey(state.graph, selected) : null;
    if (!change || !state.graph) return "";
    const names = namesByCommit(state.graph.refs).get(change.commitId) ?? { bookmarks: [], workspaces: [] };
    const { run } = useHost.getState();
    const worker = run ? (workersByChange(run.workers).get(change.changeId) ?? null) : null;
    return spoken(change, names, worker, meetingsIn(run, worker?.name ?? null));
  });
  return (
    <p className="sr-only" aria-live="polite">
      {text}
    </p>
  );
}
