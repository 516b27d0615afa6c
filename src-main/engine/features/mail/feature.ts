import { type Action, background, type Feature } from "../../kernel/feature.ts";
import { informTool } from "../../orchestrators/inform-tool.ts";
import { deliverToOrchestrator, unreadOf } from "../../orchestrators/peer-messages.ts";
import type { Run } from "../../ports.ts";
import { orchestratorsOf } from "../../workers/hierarchy.ts";

interface DeliverMessages extends Action {
  readonly orchestrator: string;
}

/** Messages to orchestrators, who may sleep; an agent reads its own with its next prompt. */
export const mail: Feature<Run> = {
  name: "mail",
  orchestratorTools: [
    { name: "inform", isAlwaysAllowed: true, make: informTool },
    { name: "report_done", answers: { message: 1, "user message": 1 } },
  ],
  background: [
    background<Run, DeliverMessages>({
      desired: (run) =>
        orchestratorsOf(run)
          .filter((orchestrator) => unreadOf(run, orchestrator).length > 0)
          .map((orchestrator) => ({ id: `messages/${orchestrator}`, orchestrator })),
      perform: (run, { orchestrator }) => deliverToOrchestrator(run, orchestrator),
      failure: ({ orchestrator }) => ({
        title: `A message could not be brought to ${orchestrator}`,
        worker: orchestrator,
        isAsked: true,
      }),
    }),
  ],
};
