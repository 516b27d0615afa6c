import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { previewRestore } from "./preview-restore.ts";
import { restoreEverything, settleRestoring } from "./restore-everything.ts";

/** The whole repository is taken back to a moment. (design 12) */
export const restore: Feature<Run> = {
  name: "restore",
  commands: (scope) => ({
    "operation.previewRestore": ({ to }) => previewRestore(scope, to),
    "run.pauseAll"() {
      for (const run of scope.allGoing()) if (run.state.hold === "none") run.dispatch({ kind: "Pause" });
      scope.flush();
    },
    "operation.restore": (asked) => restoreEverything(scope, asked),
  }),
  beforeGraphIsRead: settleRestoring,
};
