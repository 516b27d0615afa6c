import type { Action } from "../../registry/action.ts";
import { useHost } from "../../state/host-store.ts";
import { startRehearsal } from "./start-rehearsal.ts";

/** The palette's way to the rehearsals beside the first, which has a line of its own. */
export const rehearsalCommands = (): readonly Action[] =>
  (useHost.getState().app?.rehearsals ?? []).slice(1).map(({ name, title }) => ({
    id: `rehearsal-${name}`,
    title: `Watch the rehearsal “${title}”`,
    group: "Repository",
    words: "demo example tour",
    run: () => void startRehearsal(name),
  }));
