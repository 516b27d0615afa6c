import type { Action } from "../../registry/action.ts";
import { dialogWhenOpen } from "../../registry/dialog-when-open.tsx";
import type { Feature } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import { openDialog } from "../../state/selection-store.ts";
import { OpenRepositoryDialog } from "./open-repository-dialog.tsx";
import { PreparingDialog } from "./rehearsal-steps.tsx";
import { recentKeys } from "./repository-lists.tsx";
import { startRehearsal } from "./start-rehearsal.ts";

/** The palette's commands for all rehearsals but the first, which has its own entry. */
const rehearsalCommands = (): readonly Action[] =>
  (useHost.getState().app?.rehearsals ?? []).slice(1).map(({ name, title }) => ({
    id: `rehearsal-${name}`,
    title: `Watch the rehearsal “${title}”`,
    group: "Repository",
    command: "rehearsal.start",
    words: "demo example tour",
    run: () => void startRehearsal(name),
  }));

/** What is open in the window. */
const repositoryActions: readonly Action[] = [
  {
    id: "open",
    title: "Open a repository…",
    group: "Repository",
    command: "repository.open",
    keys: "mod+o",
    words: "folder",
    whileTyping: true,
    run: () => openDialog("open-repository"),
  },
  {
    id: "rehearsal",
    title: "Watch the rehearsal",
    group: "Repository",
    command: "rehearsal.start",
    words: "demo example tour",
    available: () => (useHost.getState().app?.rehearsals.length ?? 0) > 0,
    run: () => void startRehearsal(),
  },
];

/** Opening and closing repositories. */
export const welcome: Feature = {
  actions: repositoryActions,
  commands: rehearsalCommands,
  keys: [recentKeys],
  dialogs: [dialogWhenOpen("open-repository", OpenRepositoryDialog), PreparingDialog],
};
