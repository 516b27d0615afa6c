import { structuredTool } from "../../../tools/structured-tool.ts";
import { approvalShape, changesShape } from "../../folds/fold-review.ts";
import { workTools } from "../../folds/work-tools.ts";
import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";

/** Finished work is offered, judged by whoever stands above, and merged. */
export const mergeRequests: Feature<Run> = {
  name: "merge-requests",
  orchestratorTools: [
    ...workTools,
    {
      name: "approve_fold",
      answers: { "fold ready": 1 },
      make: () =>
        structuredTool(
          "approve_fold",
          "Accepts an agent's finished work. It is merged, and its siblings build on it.",
          approvalShape,
        ),
    },
    {
      name: "request_changes",
      answers: { "fold ready": 2 },
      make: () =>
        structuredTool(
          "request_changes",
          "Sends an agent's finished work back to it, with what has to change and why.",
          changesShape,
        ),
    },
  ],
};
