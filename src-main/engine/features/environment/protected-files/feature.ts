import { section } from "#shared/domain/text/prompt-text.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import {
  judgeSnapshot,
  keepWrittenByPerson,
  protectedLines,
  settleProtectedChanges,
} from "./protected-changes.ts";

/** Files that no agent may change without the user's approval. */
export const protectedFiles: Feature<Run> = {
  name: "protected-files",
  services: (run) => ({
    protectedFiles: {
      keepWrittenByPerson: (changeId, written) => keepWrittenByPerson(run, changeId, written),
    },
  }),
  agents: {
    judgeSaved: (run, { worker, workspace, recorded }) => judgeSnapshot(run, worker, workspace, recorded),
    beforeOffer: settleProtectedChanges,
    prompt: {
      "protected-files": (run, { worker }) => [section("Protected files", protectedLines(run, worker))],
    },
  },
};
