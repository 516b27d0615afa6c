import { defineScript } from "../model/stand-in/script.ts";
import { agentScenes, judgeScene, togetherScenes } from "./receipts-agents.ts";
import { orchestratorScenes } from "./receipts-orchestrator.ts";
import { reviewerScenes } from "./receipts-reviewer.ts";

/** An agent that forks itself, a person who forks an agent, and a reviewer whose suggestion becomes a task. (HYLO-3, HIVE, AX) */
export const receiptsScript = defineScript({
  name: "receipts",
  routes: {
    "O-A-1": orchestratorScenes,
    "agent-*": agentScenes,
    "integrator*": togetherScenes,
    "validator-*": [judgeScene],
    "archangel-tests": reviewerScenes,
  },
});
