import { fileURLToPath } from "node:url";
import { defineScript } from "../../model/stand-in/script.ts";
import { call } from "./merge-request-script.ts";
import { acceptsMergeRequests, done, exampleFiles, plan, vote } from "./three-agents-script.ts";

/** Readable for the scripted agent: its packages are in it. */
export const project = fileURLToPath(new URL("../../../", import.meta.url));
const program = fileURLToPath(new URL("../../external-agents/testing/scripted-agent.mjs", import.meta.url));

/** One of the steps that `scripted-agent.mjs` lists. */
export type Step = Readonly<Record<string, unknown>>;

/** A repository whose table `scripted` is the scripted agent. @param script its steps for each prompt */
export const externalAgentFiles = (script: readonly (readonly Step[])[], more = "") => ({
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}
[workflow]
contracts = "off"
learning = "off"
panel = "off"

[[agent]]
name = "scripted"
command = [${JSON.stringify(process.execPath)}, ${JSON.stringify(program)}]
environment = [${JSON.stringify(`SCRIPT=${JSON.stringify(script)}`)}, "MODEL_URL={bridge}"]
wire = "anthropic"
${more}`,
});

/** One task, "Write the store", for an agent of another make. */
export const externalAgentScript = defineScript({
  name: "external agents",
  routes: {
    "O-A-1": [
      {
        name: "plans",
        prompt: /^\[EVENT plan/u,
        steps: [
          call("propose_plan", {
            ...plan,
            contracts: { ...plan.contracts, files: [] },
            tasks: plan.tasks.slice(0, 1),
          }),
        ],
      },
      { ...acceptsMergeRequests, optional: true },
    ],
    "agent-1": [{ name: "says what a store is", steps: [{ say: "A store keeps users." }], optional: true }],
    "integrator*": [{ name: "joins", steps: [done("All is together.")], optional: true }],
    "validator-*": vote("approve"),
  },
});

export const reportsStore: Step = { mcp: "report_done", input: { summary: "The store is written." } };
