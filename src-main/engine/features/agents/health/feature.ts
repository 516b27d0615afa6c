import { roles } from "#shared/domain/worker/roles.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { type Action, background, type Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { blockedWorkers } from "../../../workers/blocked-workers.ts";
import { release } from "../../../workers/hold-worker.ts";
import { retryWorker } from "../../../workers/retry-worker.ts";
import { refuseFinished, steerable } from "../../../workers/steerable.ts";
import { helpBlocked } from "./help-blocked.ts";
import { messageShape, reassignShape } from "./help-request.ts";
import { checkHeartbeats, heartbeatMs, reportStall, stalledWorkers } from "./stall-detection.ts";

interface HelpAgent extends Action {
  readonly worker: string;
}

const each = (kind: "quiet" | "stuck", workers: readonly string[]): readonly HelpAgent[] =>
  workers.map((worker) => ({ id: `${kind}/${worker}`, worker }));

/** Agents that say nothing, come to nothing, or cannot go on. */
export const health: Feature<Run> = {
  name: "health",
  commands: ({ active }) => ({
    async "run.retryWorker"({ worker: name }) {
      const run = active();
      if (!roles[steerable(run, name).record.role].isLead) refuseFinished(run, name);
      if (!(await retryWorker(run, name)))
        throw new EngineRefusal(`${name} has not failed.`, "Pause it, send it a message, or undo its work.");
      release(run, name);
    },
  }),
  orchestratorTools: [
    {
      name: "message_agent",
      answers: { "child stalled": 1, "child silent": 1, "child blocked": 1 },
      make: () =>
        structuredTool(
          "message_agent",
          "Writes to the agent that the event is about; it reads it with its next prompt. Use it when a hint can help.",
          messageShape,
        ),
    },
    {
      name: "reassign",
      answers: { "child stalled": 2, "child silent": 2, "child blocked": 2 },
      make: () =>
        structuredTool(
          "reassign",
          "Gives the task that the event is about to a fresh agent, with a word on what to do otherwise. The work so far stays. Use it when the agent is lost and a hint did not help.",
          reassignShape,
        ),
    },
  ],
  background: [
    background<Run, HelpAgent>({
      desired: (run) => each("quiet", stalledWorkers(run)),
      perform: (run, { worker }) => reportStall(run, worker),
      failure: ({ worker }) => ({
        title: `Could not report that ${worker} is stalled`,
        worker,
        isAsked: false,
      }),
    }),
    background<Run, HelpAgent>({
      desired: (run) => each("stuck", blockedWorkers(run)),
      perform: (run, { worker }) => helpBlocked(run, worker),
      failure: ({ worker }) => ({ title: `Could not help ${worker}`, worker, isAsked: true }),
    }),
  ],
  ticks: [{ name: "silence", everyMs: () => heartbeatMs, look: checkHeartbeats }],
};
