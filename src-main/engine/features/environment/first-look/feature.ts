import { section } from "#shared/domain/text/prompt-text.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { baselineFailureLines } from "../../../workspaces/check-options.ts";

/** The project's preflight. */
export const firstLook: Feature<Run> = {
  name: "first-look",
  agents: {
    prompt: {
      "baseline-failures": (run) => [section("Failing before the run", baselineFailureLines(run))],
    },
  },
};
