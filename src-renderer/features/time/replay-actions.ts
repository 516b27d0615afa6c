import { client } from "../../client.ts";
import { saveFile } from "../../kit/save-file.ts";
import type { Action } from "../../registry/action.ts";
import { hasRepository, useHost } from "../../state/host-store.ts";
import { attempt, notify } from "../../state/notify.ts";
import { beginReplay, endReplay, goToEdge, markMoment, step, togglePlaying } from "../../state/replay.ts";
import { isReplaying, useReplay } from "../../state/replay-store.ts";
import { closeDialogOf, openDialog } from "../../state/selection-store.ts";

import { openRestore } from "./restore-dialog.tsx";

/** Plays one of this repository's own runs. */
export async function replayRun(run: string, tell?: (error: unknown) => void): Promise<void> {
  if (await beginReplay(() => client.replay.open({ run }), { tell })) closeDialogOf("recorded-runs");
}

/** Downloads a run as a file. @returns the name of the file */
export async function saveRun(run: string): Promise<string> {
  const { content, name } = await client.replay.export({ run });
  saveFile(
    name,
    "application/gzip",
    Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0)),
  );
  return name;
}

export const exportedMessage = (name: string): readonly [string, string] => [
  `The run was exported as ${name}.`,
  `Replay it on any machine: hox replay ${name}`,
];

const exportRun = (run: string): Promise<boolean> =>
  attempt("The run was not exported", async () => notify("info", ...exportedMessage(await saveRun(run))));

/** A button or a field takes the key for itself. */
const isOnControl = (): boolean =>
  document.activeElement?.matches("button, input:not([type=range]), select, textarea, a[href]") ?? false;

const whileReplaying = { group: "View", available: isReplaying } as const;
const shownRun = (): string | null => useHost.getState().run?.id ?? null;

export const replayActions: readonly Action[] = [
  {
    id: "recorded-runs",
    title: "Recorded runs…",
    group: "View",
    words: "replay export history transcript import",
    available: hasRepository,
    run: () => openDialog("recorded-runs"),
  },
  {
    id: "replay-run",
    title: "Replay this run",
    group: "View",
    words: "watch again recorded",
    available: () => !isReplaying() && shownRun() !== null,
    run() {
      const run = shownRun();
      if (run) void replayRun(run);
    },
  },
  {
    id: "export-run",
    title: "Export this run…",
    group: "View",
    words: "save file share transcript",
    available: () => !isReplaying() && shownRun() !== null,
    run() {
      const run = shownRun();
      if (run) void exportRun(run);
    },
  },
  {
    ...whileReplaying,
    id: "replay-play",
    title: "Replay: play or pause",
    keys: "space",
    available: () => isReplaying() && !isOnControl(),
    run: togglePlaying,
  },
  {
    ...whileReplaying,
    id: "replay-before",
    title: "Replay: previous moment",
    keys: "alt+,",
    run: () => step(-1),
  },
  { ...whileReplaying, id: "replay-next", title: "Replay: next moment", keys: "alt+.", run: () => step(1) },
  {
    ...whileReplaying,
    id: "replay-from",
    title: "Replay: go to the beginning",
    keys: "alt+b",
    run: () => goToEdge("from"),
  },
  {
    ...whileReplaying,
    id: "replay-to",
    title: "Replay: go to the end",
    keys: "alt+n",
    run: () => goToEdge("to"),
  },
  {
    ...whileReplaying,
    id: "replay-compare",
    title: "Replay: compare other moments with this one",
    keys: "alt+m",
    words: "difference mark",
    run: () => markMoment(useReplay.getState().marked === null ? undefined : null),
  },
  {
    ...whileReplaying,
    id: "replay-restore",
    title: "Replay: restore everything to this moment…",
    words: "back in time undo all operation",
    available: () => useReplay.getState().view?.file === null,
    run: () => openRestore(useReplay.getState().at),
  },
  {
    ...whileReplaying,
    id: "replay-end",
    title: "Replay: back to now",
    keys: "alt+Backspace",
    run: endReplay,
  },
];
