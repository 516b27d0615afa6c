import { structuredTool } from "../../../../tools/structured-tool.ts";
import { learnedFor } from "../../../conversations/learned-patterns.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { editPatternCard, refuseFailedGate } from "./edit-card.ts";
import { learn } from "./learning.ts";
import { patternShape } from "./pattern-shape.ts";

/** What is worth knowing in later runs. */
export const learning: Feature<Run> = {
  name: "learning",
  commands: ({ active, isInactive }) => ({
    "pattern.editCard": ({ card, markdown }) => editPatternCard(active(), card, markdown, isInactive),
  }),
  cardChecks: { pattern: refuseFailedGate },
  agents: {
    prompt: {
      patterns: (run, { worker }) => [
        learnedFor(run, worker, run.worker(worker).record.role === "integrator" ? "integrator" : "agent"),
      ],
    },
  },
  orchestratorTools: [
    {
      name: "propose_pattern",
      answers: { learn: 1 },
      make: () =>
        structuredTool(
          "propose_pattern",
          "Proposes something worth knowing in later runs. The user decides whether it is kept. Use it for what this run taught and another one would not know.",
          patternShape,
        ),
    },
    { name: "report_done", answers: { learn: 2 } },
  ],
  course: { RecordPattern: { title: "Learning from the run failed", perform: (run) => learn(run) } },
};
