/** What a person can do with one agent: for the inspector, the graph's menu, the palette and the operations. */
import { create } from "zustand";
import type { InboxItem, RunView, WorkerView } from "#shared/contract/views.ts";
import { client } from "../../client.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";
import { useSelection } from "../../state/selection-store.ts";

export type AgentAction = "pause" | "resume" | "retry" | "message" | "undo";

/** What is possible now; the host refuses the rest with its reasons. */
export function possible(
  worker: WorkerView,
  run: RunView,
  inbox: readonly InboxItem[],
): ReadonlySet<AgentAction> {
  const can = new Set<AgentAction>();
  if ((worker.role !== "agent" && worker.role !== "integrator") || worker.changeId === null) return can;
  const goesOn = run.endedAt === null;
  const unfinished = worker.status !== "done" && worker.status !== "abandoned";
  if (goesOn && unfinished) can.add("message");
  if (goesOn && unfinished && !worker.held) can.add("pause");
  if (goesOn && worker.held) can.add("resume");
  if (goesOn && inbox.some((item) => item.kind === "trouble" && item.worker === worker.name))
    can.add("retry");
  if (worker.status !== "abandoned") can.add("undo");
  return can;
}

/** The agent that is being written to, or whose work may be undone. */
export const useAgentDialog = create<{
  readonly open: { readonly kind: "message" | "undo"; readonly worker: string } | null;
}>(() => ({ open: null }));

export const closeAgentDialog = (): void => useAgentDialog.setState({ open: null });

export function act(action: AgentAction, worker: string): void {
  switch (action) {
    case "pause":
      void attempt(`${worker} was not paused`, () => client.run.pauseWorker({ worker }));
      return;
    case "resume":
      void attempt(`${worker} was not resumed`, () => client.run.resumeWorker({ worker }));
      return;
    case "retry":
      void attempt(`${worker} was not started again`, () => client.run.retryWorker({ worker }));
      return;
    case "message":
    case "undo":
      useAgentDialog.setState({ open: { kind: action, worker } });
      return;
  }
}

/** The agent of a change, and what can be done with it now; null where nothing can. */
export function agentOf(
  changeId: string | null,
): { readonly worker: WorkerView; readonly can: ReadonlySet<AgentAction> } | null {
  const { run, inbox } = useHost.getState();
  const worker = run && changeId ? workersByChange(run.workers).get(changeId) : undefined;
  if (!run || !worker) return null;
  const can = possible(worker, run, inbox);
  return can.size === 0 ? null : { worker, can };
}

/** The same for the selected change. */
export const selectedAgent = () => agentOf(useSelection.getState().selected);
