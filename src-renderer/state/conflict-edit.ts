/** Conflicts that a person has settled: written, and remembered so that one key opens them again. */
import { shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../client.ts";
import { recordEdit, type SettledConflict } from "./edit-history.ts";
import { changeOfKey, useGraph } from "./graph-store.ts";

export type Resolution = SettledConflict["as"];

/** @returns whether the file is settled with it; @throws what the host refuses it with */
export async function settleConflict(
  conflict: Pick<SettledConflict, "changeId" | "path" | "seen" | "as">,
): Promise<boolean> {
  const { isResolved, ...back } = await client.change.resolveConflict({ ...conflict });
  recordEdit(`the conflict in ${shownName(conflict.path)}`, { kind: "conflict", ...conflict, ...back });
  return isResolved;
}

export type ConflictTakenBack =
  | { readonly kind: "done"; readonly next: SettledConflict }
  | { readonly kind: "refused"; readonly why: string };

export async function takeBackConflict(
  settled: SettledConflict,
  way: "undo" | "redo",
): Promise<ConflictTakenBack> {
  const { changeId, path, seen, as, before, written } = settled;
  const { graph } = useGraph.getState();
  const change = graph && changeOfKey(graph, changeId);
  if (!change) return { kind: "refused", why: "It is no longer on the graph." };
  if (way === "undo") {
    const opened = await client.change.unresolveConflict({ changeId, path, before, written });
    return { kind: "done", next: { ...settled, ...opened } };
  }
  const { isResolved: _, ...back } = await client.change.resolveConflict({ changeId, path, seen, as });
  return { kind: "done", next: { ...settled, ...back } };
}
