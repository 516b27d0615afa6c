/** A rebase on its way: dragged or picked by keyboard, previewed on the real graph, confirmed by a user. */
import { create } from "zustand";
import type { RebasePreview } from "#shared/contract/commands/graph.ts";
import type { Priority } from "#shared/domain/change-metadata/metadata.ts";
import { isAncestor } from "#shared/graph/change-graph.ts";
import type { Failure } from "../../client.ts";
import { client, toFailure } from "../../client.ts";
import { editMetadata, moveChange } from "../../state/graph-edits.ts";
import { changeOfKey, rowOfKey, useGraph } from "../../state/graph-store.ts";
import { attempt, notify } from "../../state/notify.ts";
import { isRefused } from "../../state/role.ts";
import type { RowKey } from "../../state/selection-store.ts";

export type Preview =
  | { readonly kind: "none" }
  | { readonly kind: "asking" }
  | { readonly kind: "known"; readonly preview: RebasePreview }
  | { readonly kind: "failed"; readonly failure: Failure };

interface RebaseState {
  /** How the change was taken up; null when nothing is on its way. */
  readonly by: "pointer" | "keyboard" | null;
  readonly what: RowKey | null;
  readonly onto: RowKey | null;
  /** A priority of the queue under the pointer instead of a change. */
  readonly band: Priority | null;
  /** Why the target under the pointer cannot be one. */
  readonly refusal: string | null;
  readonly point: { readonly x: number; readonly y: number };
  readonly preview: Preview;
  /** Dropped or picked: the dialog asks for a yes. */
  readonly asked: boolean;
}

const idle: RebaseState = {
  by: null,
  what: null,
  onto: null,
  band: null,
  refusal: null,
  point: { x: 0, y: 0 },
  preview: { kind: "none" },
  asked: false,
};

export const useRebase = create<RebaseState>(() => idle);

const hoverPauseMs = 120;
let timer: ReturnType<typeof setTimeout> | undefined;
let newest = 0;

export function cancelRebase(): void {
  clearTimeout(timer);
  newest += 1;
  useRebase.setState(idle);
}

/** Why a change cannot be moved at all; null when it can. */
function immovable(what: RowKey): string | null {
  const { graph } = useGraph.getState();
  const change = graph && changeOfKey(graph, what);
  if (!change) return "This change no longer exists.";
  return change.immutable ? "This change is immutable: it is part of shared history." : null;
}

/** Takes up a change; answers false, with a notice, when it cannot be moved. */
export function takeUp(what: RowKey, by: "pointer" | "keyboard", point = idle.point): boolean {
  if (isRefused("change.rebase")) return false;
  const refusal = immovable(what);
  if (refusal !== null) {
    notify("info", refusal, "Choose a mutable change, or create a new one on top of it.");
    return false;
  }
  useRebase.setState({ ...idle, by, what, point });
  return true;
}

function refusalOf(what: RowKey, onto: RowKey): string | null {
  const { graph } = useGraph.getState();
  if (!graph) return "No graph is loaded.";
  const moved = rowOfKey(graph, what);
  const target = rowOfKey(graph, onto);
  if (moved < 0 || target < 0) return "This change no longer exists.";
  if (isAncestor(graph, moved, target)) return "A change cannot be rebased onto itself or its descendants.";
  const parents = graph.changes[moved]?.parents ?? [];
  if (parents.length === 1 && parents[0] === graph.changes[target]?.commitId)
    return "It already has this parent.";
  return null;
}

export function movePointer(x: number, y: number): void {
  useRebase.setState({ point: { x, y } });
}

export function aimAtBand(band: Priority | null): void {
  if (useRebase.getState().band !== band)
    useRebase.setState({ band, onto: null, refusal: null, preview: { kind: "none" } });
}

/** Points at a target; after a moment the host tells what the rebase would do. */
export function aim(onto: RowKey | null): void {
  const state = useRebase.getState();
  if (state.what === null || state.onto === onto) return;
  clearTimeout(timer);
  newest += 1;
  const target = onto === state.what ? null : onto;
  const refusal = target === null ? null : refusalOf(state.what, target);
  useRebase.setState({ onto: target, band: null, refusal, preview: { kind: "none" } });
  if (target !== null && refusal === null) timer = setTimeout(() => void askPreview(), hoverPauseMs);
}

async function askPreview(): Promise<void> {
  const { what, onto } = useRebase.getState();
  if (what === null || onto === null) return;
  const ticket = ++newest;
  useRebase.setState({ preview: { kind: "asking" } });
  try {
    const preview = await client.change.previewRebase({ changeId: what, onto });
    if (ticket === newest) useRebase.setState({ preview: { kind: "known", preview } });
  } catch (error) {
    if (ticket === newest) useRebase.setState({ preview: { kind: "failed", failure: toFailure(error) } });
  }
}

/** Lets go over the target: asks for a yes, or sets the priority of the band. */
export function drop(): void {
  const { what, onto, band, refusal, preview } = useRebase.getState();
  if (what !== null && band !== null) {
    cancelRebase();
    const { graph } = useGraph.getState();
    const change = graph && changeOfKey(graph, what);
    if (change)
      void attempt(`The priority was not set to ${band}`, () => editMetadata(change, { priority: band }));
    return;
  }
  if (what === null || onto === null || refusal !== null) {
    if (refusal !== null) notify("info", refusal);
    cancelRebase();
    return;
  }
  clearTimeout(timer);
  useRebase.setState({ by: null, asked: true });
  if (preview.kind === "none") void askPreview();
}

/** The yes. */
export async function execute(): Promise<void> {
  const { what, onto } = useRebase.getState();
  cancelRebase();
  if (what !== null && onto !== null) {
    await attempt("The change was not rebased", () => moveChange(what, onto));
  }
}

/** What a row or node shows of the rebase on its way. */
export const useDropOn = (key: RowKey): "dragged" | "target" | "refused" | null =>
  useRebase((state) => {
    if (state.what === null) return null;
    if (state.what === key) return "dragged";
    if (state.onto !== key) return null;
    return state.refusal === null ? "target" : "refused";
  });
