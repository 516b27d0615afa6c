import { plan } from "#shared/contract/plan-inputs.ts";
import { structuredTool } from "../../../tools/structured-tool.ts";
import type { OrchestratorTool } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";

export const proposePlan: OrchestratorTool<Run> = {
  name: "propose_plan",
  answers: { plan: 1, "plan changed": 1 },
  make: () => structuredTool("propose_plan", "Proposes the whole plan of the run.", plan),
};
