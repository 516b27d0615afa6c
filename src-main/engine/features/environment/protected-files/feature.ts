import { section } from "#shared/domain/text/prompt-text.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { protectedLines, settleProtectedChanges } from "./protected-changes.ts";

/** Files that no agent may change without the user's approval. */
export const protectedFiles: Feature<Run> = {
  name: "protected-files",
  agents: {
    beforeOffer: settleProtectedChanges,
    prompt: {
      "protected-files": (run, { worker }) => [section("Protected files", protectedLines(run, worker))],
    },
  },
};
