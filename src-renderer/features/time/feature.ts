import { dialogWhenOpen } from "../../registry/dialog-when-open.tsx";
import type { Feature } from "../../registry/feature.ts";
import { operationKeys } from "./operation-list.tsx";
import { RecordedRunsDialog } from "./recorded-runs-dialog.tsx";
import { replayActions } from "./replay-actions.ts";
import { RestoreDialog } from "./restore-dialog.tsx";
import { trackKeys } from "./time-track.tsx";

/** What was: operations, and recorded runs. */
export const time: Feature = {
  actions: replayActions,
  keys: [trackKeys, operationKeys],
  dialogs: [dialogWhenOpen("recorded-runs", RecordedRunsDialog), RestoreDialog],
};
