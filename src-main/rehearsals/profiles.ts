import { defineScript } from "../model/stand-in/script.ts";
import { agentScenes } from "./profiles-agents.ts";
import { integratorScene } from "./profiles-integrator.ts";
import { judgeRoutes } from "./profiles-judges.ts";
import { orchestratorScenes } from "./profiles-orchestrator.ts";

/** A run with a question, a decision, a contradiction and a faulty judge, on the example `harbour`. (design section 13) */
export const profilesScript = defineScript({
  name: "profiles",
  routes: {
    "O-A-1": orchestratorScenes,
    "agent-*": agentScenes,
    integrator: [integratorScene],
    ...judgeRoutes,
  },
});
