/**
 * What a user has changed by hand, newest last: one history for the graph, the queue and the plan. An edit says how to take
 * it back; what was changed by others since stays, and is named.
 */
import { create } from "zustand";
import type { PlannedTask } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { RowKey } from "./selection-store.ts";

/** An amendment, with what takes it back and what of the plan must not have changed meanwhile. */
export interface Amendment {
  readonly orchestrator: string;
  /** What does it again, and what takes it back. */
  readonly edits: readonly PlanEdit[];
  readonly inverse: readonly PlanEdit[];
  /** The tasks that it touches, as it leaves them and as they were; null: there is none. */
  readonly after: Readonly<Record<string, PlannedTask | null>>;
  readonly before: Readonly<Record<string, PlannedTask | null>>;
}

export type Edit =
  /** An edit of the graph, by the operation that made it. */
  | { readonly kind: "operation"; readonly operation: string }
  /** What no undo reaches: why that is, and what to do instead. */
  | {
      readonly kind: "final";
      readonly why: string;
      readonly at: { readonly key: RowKey; readonly title: string } | null;
    }
  /** A result landed, by a yes of this window. */
  | { readonly kind: "landing"; readonly run: string }
  /** A decision was approved. */
  | { readonly kind: "decision"; readonly title: string }
  /** Of the plan of an active run. */
  | ({ readonly kind: "amendment" } & Amendment)
  /** Of the draft of an inbox item. */
  | { readonly kind: "plan"; readonly item: string };

export interface DoneEdit {
  /** The text after “Undone:” in a notice. */
  readonly what: string;
  readonly edit: Edit;
}

interface EditHistory {
  /** Path of the repository that it belongs to. */
  readonly path: string | null;
  readonly past: readonly DoneEdit[];
  readonly future: readonly DoneEdit[];
}

const maxEdits = 100;
const storageKey = "hox.edits";

export const useEditHistory = create<EditHistory>(() => ({ path: null, past: [], future: [] }));

/** A new edit: what was undone before it cannot be redone. @returns the entry in the history */
export function recordEdit(what: string, edit: Edit): DoneEdit {
  const done = { what, edit };
  useEditHistory.setState(({ past }) => ({ past: [...past, done].slice(-maxEdits), future: [] }));
  keep();
  return done;
}

const underWay = new Set<Promise<void>>();

/**
 * Records what a command did to the graph, by the operation that it answers; one that wrote nothing is not recorded. It may be
 * on screen before the answer: an undo that is asked for meanwhile is meant for it.
 */
export async function recordWrite<Answer extends { readonly operation: string | null }>(
  what: string,
  sent: Promise<Answer>,
): Promise<Answer> {
  const recorded = sent.then(({ operation }) => {
    if (operation !== null) recordEdit(what, { kind: "operation", operation });
  });
  underWay.add(recorded);
  await recorded.finally(() => underWay.delete(recorded));
  return sent;
}

/** Resolves when every edit that is shown has been recorded, or has failed. */
export const editsWritten = async (): Promise<void> => void (await Promise.allSettled(underWay));

/** Moves the newest edit from one side to the other; `edit` is what has to be done the next time. */
export function step(way: "undo" | "redo", edit: Edit): void {
  useEditHistory.setState(({ past, future }) => {
    const [from, to] = way === "undo" ? [past, future] : [future, past];
    const moved = from.at(-1);
    if (!moved) return {};
    const [left, grown] = [from.slice(0, -1), [...to, { ...moved, edit }]];
    return way === "undo" ? { past: left, future: grown } : { past: grown, future: left };
  });
  keep();
}

/** It can be taken back no more, or never could be. */
export function forgetNewest(way: "undo" | "redo"): void {
  const side = way === "undo" ? "past" : "future";
  useEditHistory.setState((state) => ({ [side]: state[side].slice(0, -1) }));
  keep();
}

/** Another repository has another history; that of this one is there again after a reload. */
export function openHistory(path: string | null): void {
  if (path === useEditHistory.getState().path) return;
  useEditHistory.setState({ path, past: [], future: [], ...kept(path) });
}

function keep(): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(useEditHistory.getState()));
  } catch {
    // A history that is too long for the browser is lost at a reload, and works until then.
  }
}

function kept(path: string | null): Partial<EditHistory> {
  const text = typeof sessionStorage === "undefined" ? null : sessionStorage.getItem(storageKey);
  if (text === null || path === null) return {};
  const state = JSON.parse(text) as EditHistory;
  return state.path === path ? state : {};
}
