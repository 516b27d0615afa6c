/** Two goals on one repository at once: one task each, in a file of its own. */
import { defineScript, type Scene } from "../../model/stand-in/script.ts";
import { acceptsMergeRequests, done, exampleFiles, plan, vote, write } from "./three-agents-script.ts";

const planned = (file: string): Scene => ({
  name: `plans the ${file}`,
  prompt: (seen) => seen.prompt.startsWith("[EVENT plan") && seen.prompt.includes(`Write the ${file}`),
  steps: [
    {
      calls: [
        {
          tool: "propose_plan",
          input: {
            ...plan,
            goal: `Write the ${file}`,
            contracts: { ...plan.contracts, files: [] },
            tasks: plan.tasks.filter(({ id }) => id === file),
          },
        },
      ],
    },
  ],
});

const works = (file: string): Scene => ({
  name: `writes the ${file}`,
  prompt: `Write the ${file}`,
  steps: [write(`src/${file}.txt`, `the ${file}\n`), done(`The ${file} is written.`)],
});

export const sideBySideGoals = ["Write the store", "Write the view"] as const;

export const sideBySide = defineScript({
  name: "side by side",
  routes: {
    "O-*": [acceptsMergeRequests, planned("store"), planned("view")],
    "agent-*": [works("store"), works("view")],
    "integrator*": [{ name: "joins", steps: [done("All is together.")], optional: true }],
    "validator-*": vote("approve"),
  },
});

export const sideBySideFiles: Readonly<Record<string, string>> = {
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[workflow]\ncontracts = "off"\nlearning = "off"\npanel = "off"\n`,
};
