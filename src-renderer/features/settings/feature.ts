import type { Feature } from "../../registry/feature.ts";
import { SettingsDialog } from "./index.tsx";
import { settingsActions } from "./settings-actions.ts";

/** What a user sets once. */
export const settings: Feature = { actions: settingsActions, dialogs: [SettingsDialog] };
