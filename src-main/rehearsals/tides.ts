import { defineScript } from "../model/stand-in/script.ts";
import { judgeScene, memberScenes, togetherScenes } from "./tides-agents.ts";
import { partScenes, rootScenes } from "./tides-orchestrators.ts";

/** Two orchestrators below the root, with a question that goes up to the user and a word among peers. (HOX-3.1) */
export const tidesScript = defineScript({
  name: "tides",
  routes: {
    "O-A-1": rootScenes,
    "O-B-*": partScenes,
    "agent-*": memberScenes,
    "integrator*": togetherScenes,
    "validator-*": [judgeScene],
  },
});
