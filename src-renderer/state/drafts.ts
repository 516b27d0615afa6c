/** What was typed and not sent, by the place where it was typed: a user looks at other things in between. */
import { useState } from "react";
import { openDialog } from "./selection-store.ts";

const maxEntries = 100;

const kept = new Map<string, unknown>();

function keep(place: string, value: unknown): void {
  kept.delete(place);
  kept.set(place, value);
  const [oldest] = kept.keys();
  if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest);
}

/**
 * State of a field that outlives the field: restored wherever the field is shown next.
 * @param place names what is written to and where; each place has a separate draft
 * @returns the last one takes out what was sent, unless something else was written there meanwhile
 */
export function useDraft<Value>(
  place: string,
  initial: Value,
): readonly [value: Value, set: (value: Value) => void, takeOut: (sent: Value) => void] {
  const [drawn, draw] = useState<{ readonly place: string; readonly value: Value }>();
  const keptOr = (): Value => (kept.has(place) ? (kept.get(place) as Value) : initial);
  const value = drawn?.place === place ? drawn.value : keptOr();
  const set = (next: Value): void => {
    if (next === initial) kept.delete(place);
    else keep(place, next);
    draw({ place, value: next });
  };
  return [
    value,
    set,
    (sent) => {
      if (keptOr() === sent) set(initial);
    },
  ];
}

/** A draft of words. */
export const useTextDraft = (
  place: string,
): readonly [text: string, write: (text: string) => void, takeOut: (sent: string) => void] =>
  useDraft(place, "");

/** The draft key of a message to a worker: one, in every place it is written. */
export const messageDraft = (run: string, worker: string): string => `message ${run} ${worker}`;

/** What the dialog that starts a run begins with, where another part of the window asks for a run. */
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

/** Asks a user for a run with this goal; nothing begins before they say so. */
export function draftRun(wanted: RunDraft): void {
  draft = wanted;
  openDialog("start-run");
}

export const runDraft = (): RunDraft | null => draft;

export const forgetRunDraft = (): void => {
  draft = null;
};
