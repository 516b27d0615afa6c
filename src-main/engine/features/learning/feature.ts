import { section } from "#shared/domain/text/prompt-text.ts";
import { structuredTool } from "../../../tools/structured-tool.ts";
import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { patternLines } from "../../prompts.ts";
import { learn, patternShape } from "./learning.ts";

/** What is worth knowing in later runs. */
export const learning: Feature<Run> = {
  name: "learning",
  agents: {
    prompt: [
      {
        place: 190,
        sections: ({ facts }) => [
          section(
            "Learned patterns",
            patternLines(facts.patterns.filter((pattern) => pattern.category !== "validation")),
          ),
        ],
      },
    ],
  },
  orchestratorTools: [
    {
      name: "propose_pattern",
      answers: { learn: 1 },
      make: () =>
        structuredTool(
          "propose_pattern",
          "Proposes something worth knowing in later runs. The user decides whether it is kept.",
          patternShape,
        ),
    },
    { name: "report_done", answers: { learn: 2 } },
  ],
  course: { RecordPattern: { title: "Learning from the run failed", perform: (run) => learn(run) } },
};
