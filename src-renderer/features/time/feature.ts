import { dialogWhenOpen } from "../../registry/dialog-when-open.tsx";
import type { Feature } from "../../registry/feature.ts";
import { RecordedRunsDialog } from "./recorded-runs-dialog.tsx";
import { replayActions } from "./replay-actions.ts";
import { trackKeys } from "./time-track.tsx";

/** What was: operations, and recorded runs. */
export const time: Feature = {
  actions: replayActions,
  keys: [trackKeys],
  dialogs: [dialogWhenOpen("recorded-runs", RecordedRunsDialog)],
};
