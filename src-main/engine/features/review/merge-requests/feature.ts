import { promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { workerOnTask } from "../../../workers/hierarchy.ts";
import { requestLines } from "../../../workers/requested-changes.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { approvalShape } from "./fold-review.ts";
import { requestChangesTool } from "./request-changes-tool.ts";
import { removeFromTrunk, syncWithTrunk } from "./trunk.ts";
import { waitForStableBase } from "./wait-for-stable-base.ts";
import { workOnTask } from "./work-on-task.ts";
import { workTools } from "./work-tools.ts";

/** Each task of a plan on its way: worked on, offered, judged by whoever stands above, and merged. */
export const mergeRequests: Feature<Run> = {
  name: "merge-requests",
  services: (run) => ({ mergeRequests: { removeFromTrunk: (worker) => removeFromTrunk(run, worker) } }),
  course: {
    SpawnTaskAgent: {
      title: "An agent failed",
      worker: (run, { orchestrator, action }) => workerOnTask(run, orchestrator, action.task)?.name ?? null,
      async perform(run, { orchestrator, action }, signal) {
        await requireSandbox(run);
        await workOnTask(run, orchestrator, action.task, signal);
      },
    },
  },
  agents: {
    syncBase: syncWithTrunk,
    gate: {
      name: "merge-requests",
      async pass(run, worker, signal) {
        await waitForStableBase(run, worker, signal);
        // The last before a place is asked for: what else came up is met at the turn boundary.
        return false;
      },
    },
    prompt: {
      "merge-requests": (run, { worker }) => [
        section("Changes requested", requestLines(run, worker)),
        section(
          "Came in from others",
          (run.worker(worker).record.trunkSync?.news ?? []).map((one) => promptLine`- ${one}`),
        ),
      ],
    },
  },
  orchestratorTools: [
    ...workTools,
    {
      name: "approve_fold",
      answers: { "fold ready": 1 },
      make: () =>
        structuredTool(
          "approve_fold",
          "Accepts an agent's finished work. It is merged, and its siblings build on it. Use it when the work does its task and nothing else.",
          approvalShape,
        ),
    },
    {
      name: "request_changes",
      answers: { "fold ready": 2 },
      make: requestChangesTool,
    },
  ],
};
