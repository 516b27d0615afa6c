import { dialogWhenOpen } from "../../registry/dialog-when-open.tsx";
import type { Feature } from "../../registry/feature.ts";
import { OpenRepositoryDialog } from "./open-repository-dialog.tsx";
import { PreparingDialog } from "./preparing-dialog.tsx";
import { recentKeys } from "./recent-keys.ts";
import { rehearsalCommands } from "./rehearsal-commands.ts";
import { repositoryActions } from "./repository-actions.ts";

/** Opening and closing repositories. */
export const welcome: Feature = {
  actions: repositoryActions,
  commands: rehearsalCommands,
  keys: [recentKeys],
  dialogs: [dialogWhenOpen("open-repository", OpenRepositoryDialog), PreparingDialog],
};
