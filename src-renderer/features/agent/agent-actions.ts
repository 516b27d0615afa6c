/** What a user can do with one agent: for the inspector, the graph's menu, the palette and the operations. */

import { create } from "zustand";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { CommandName } from "#shared/contract/commands.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import { isAtWork, roles } from "#shared/domain/worker/roles.ts";
import { client } from "../../client.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { attempt, notify } from "../../state/notify.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { writableNow } from "./writable.ts";

export type AgentAction =
  | "pause"
  | "resume"
  | "retry"
  | "message"
  | "ask"
  | "reassign"
  | "take-over"
  | "give-back"
  | "limits"
  | "undo";

/** What each asks of the host. */
export const agentCommands = {
  pause: "run.pauseWorker",
  resume: "run.resumeWorker",
  retry: "run.retryWorker",
  message: "run.messageWorker",
  ask: "run.ask",
  reassign: "run.reassignWorker",
  "take-over": "run.takeOver",
  "give-back": "run.giveBack",
  limits: "run.setWorkerLimits",
  undo: "run.undoWorker",
} as const satisfies Readonly<Record<AgentAction, CommandName>>;

/** What is possible now; the host refuses the rest with its reasons. */
export function possible(
  worker: WorkerView,
  run: RunView,
  inbox: readonly InboxItem[],
): ReadonlySet<AgentAction> {
  const can = new Set<AgentAction>();
  if (isReplaying()) return can;
  const { isLead, hasIterations } = roles[worker.role];
  // Also one that is through, or is paused.
  if (
    run.endedAt === null &&
    worker.changeId !== null &&
    (isLead || hasIterations) &&
    whyNot(worker.agent, "ask") === null
  )
    can.add("ask");
  if (run.endedAt === null && roles[worker.role].isLead) {
    can.add("limits");
    // One whose budget was not extended waits like an agent.
    if (worker.held) can.add("resume");
    if (worker.changeId !== null && writableNow(worker, run)?.kind === "open") can.add("message");
  }
  if (!roles[worker.role].hasIterations || worker.changeId === null) return can;
  const goesOn = run.endedAt === null;
  const unfinished = worker.status !== "done" && worker.status !== "abandoned";
  const atWork = goesOn && unfinished && worker.status !== "review";
  if (goesOn && unfinished) can.add("message");
  if (goesOn && unfinished && !worker.held) can.add("pause");
  if (goesOn && worker.held && worker.byHand === null) can.add("resume");
  if (atWork && roles[worker.role].canWriteTask) can.add("reassign");
  if (atWork && worker.byHand === null) can.add("take-over");
  if (goesOn && worker.byHand !== null) can.add("give-back");
  if (goesOn && unfinished) can.add("limits");
  if (goesOn && inbox.some((item) => item.kind === "trouble" && item.worker === worker.name))
    can.add("retry");
  if (worker.status !== "abandoned") can.add("undo");
  return can;
}

export type AgentDialog = "message" | "ask" | "reassign" | "takeover" | "limits" | "undo";

/** The agent that is being written to, or whose work may be undone. */
export const useAgentDialog = create<{
  readonly open: { readonly kind: AgentDialog; readonly worker: string } | null;
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
      void attempt(`${worker} was not restarted`, () => client.run.retryWorker({ worker }));
      return;
    case "take-over":
      void takeOver(worker);
      return;
    case "give-back":
      useAgentDialog.setState({ open: { kind: "takeover", worker } });
      return;
    case "message":
    case "ask":
    case "reassign":
    case "limits":
    case "undo":
      useAgentDialog.setState({ open: { kind: action, worker } });
      return;
  }
}

/** The agent comes to its turn boundary first, which may take as long as the request that it is in. */
async function takeOver(worker: string): Promise<void> {
  const known = useHost.getState().run?.workers.find(({ name }) => name === worker);
  const takeBack = known ? notify("info", takingOver(known)) : () => {};
  const taken = await attempt(`${worker} was not taken over`, async () => {
    await client.run.takeOver({ worker });
    return true;
  });
  // The next notice replaces this one: the files, or why there are none.
  takeBack();
  if (taken) useAgentDialog.setState({ open: { kind: "takeover", worker } });
}

/** What is said while a user takes a task over, and when they have given it back. */
export const takingOver = ({ name, state }: Pick<WorkerView, "name" | "state">): string =>
  isAtWork(state)
    ? `${name} finishes its current request. Then you can edit its files.`
    : `Saving the files of ${name}. Then you can edit them.`;

/** Whether anything was changed since the last look only the host knows. */
export const givenBack = (name: string, { paused }: Pick<RunView, "paused">): string =>
  paused === "no"
    ? `${name} continues with your changes.`
    : `The task is returned to ${name} with your changes. It continues when the run resumes.`;

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
