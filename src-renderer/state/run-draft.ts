/** What the dialog that starts a run begins with, where another part of the window asks for a run. */
import { openDialog } from "./selection-store.ts";

export interface RunDraft {
  readonly goal: string;
  /** A revset that names the change to build on. */
  readonly onto: string;
  /** One agent, and no plan. */
  readonly isQuick: boolean;
  /** Whoever asks need not keep the words any longer. */
  readonly onStarted?: () => void;
}

let draft: RunDraft | null = null;

/** Asks a person for a run with this goal; nothing begins before they say so. */
export function draftRun(wanted: RunDraft): void {
  draft = wanted;
  openDialog("start-run");
}

export const runDraft = (): RunDraft | null => draft;

export const forgetRunDraft = (): void => {
  draft = null;
};
