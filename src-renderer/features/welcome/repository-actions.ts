import type { Action } from "../../registry/action.ts";
import { useHost } from "../../state/host-store.ts";
import { openDialog } from "../../state/selection-store.ts";
import { startRehearsal } from "./start-rehearsal.ts";

/** What is open in the window. */
export const repositoryActions: readonly Action[] = [
  {
    id: "open",
    title: "Open a repository…",
    group: "Repository",
    keys: "mod+o",
    words: "folder",
    whileTyping: true,
    run: () => openDialog("open-repository"),
  },
  {
    id: "rehearsal",
    title: "Watch the rehearsal",
    group: "Repository",
    words: "demo example tour",
    available: () => (useHost.getState().app?.rehearsals.length ?? 0) > 0,
    run: () => void startRehearsal(),
  },
];
