import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { orchestratorLine } from "../../graph/run-canvas/orchestrator-line.ts";
import { waitsFor } from "../../graph/run-canvas/waits-for.ts";
import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { goToRow } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { keyOfWorker } from "../../state/selection-store.ts";
import { callKeys } from "./call-row.tsx";
import { checkKeys } from "./run-checks.tsx";

/** Whatever is selected, with what its agent says and does. */
export const inspector: Feature = { commands: goToWorkerCommands, keys: [callKeys, checkKeys] };

type Worker = RunView["workers"][number];

/** A worker's position in a few words. */
function workerPosition(worker: Worker, run: RunView, inbox: readonly InboxItem[]): string {
  const waiting = waitsFor(worker, run, inbox);
  if (waiting) return waiting.words;
  const part = run.orchestrators.find(({ name }) => name === worker.name);
  if (part) return orchestratorLine(part);
  if (worker.status === "done" || worker.status === "abandoned") return worker.status;
  return shownLine(worker.activity) || worker.state;
}

/** The palette's way to everybody who works in the run on screen. */
function goToWorkerCommands(): readonly Action[] {
  const { run, inbox } = useHost.getState();
  if (!run) return [];
  return run.workers.map((worker) => ({
    id: `go-to-${worker.name}`,
    title: `Go to ${worker.name}: ${shownLine(worker.title)}`,
    group: "Agents",
    detail: workerPosition(worker, run, inbox),
    words: `agent worker orchestrator ${worker.role}`,
    run: () => goToRow(worker.changeId ?? keyOfWorker(worker.name)),
  }));
}
