import { dropWithdrawn } from "../../decisions/withdrawn-decisions.ts";
import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { proposeMutation } from "./propose-mutation.ts";

/** What binds everybody below an orchestrator, until a person takes it off the graph. */
export const decisions: Feature<Run> = {
  name: "decisions",
  orchestratorTools: [proposeMutation],
  onGraph: (run) => () => dropWithdrawn(run),
};
