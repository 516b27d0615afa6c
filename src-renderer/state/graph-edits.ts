/** What a person changes on the graph: each is sent to the host, and kept in the one history of edits. */
import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import type { Change } from "#shared/graph/change.ts";
import { changeOfCommit } from "#shared/graph/change-graph.ts";
import { client } from "../client.ts";
import { recordEdit } from "./edit-history.ts";
import { changeOfKey, keyOf, useGraph } from "./graph-store.ts";
import type { RowKey } from "./selection-store.ts";
import { titleOf } from "./take-back.ts";
import { recordLandingTakenBack } from "./take-back-landing.tsx";

const changeAt = (key: RowKey): Change | null => {
  const { graph } = useGraph.getState();
  return graph && changeOfKey(graph, key);
};

const shown = (value: unknown): string => String(value ?? "none").replace("_", " ");

/** Records it from what it was to what it is by a patch. */
export function recordMetadata(change: Change, patch: MetadataPatch, what?: string): void {
  const names = Object.keys(patch) as (keyof MetadataPatch)[];
  const before = Object.fromEntries(names.map((name) => [name, change.metadata[name] ?? null]));
  const words = names.map((name) => `${name} ${shown(patch[name])}`).join(", ");
  recordEdit(what ?? `“${titleOf(change)}”: ${words}`, {
    kind: "metadata",
    key: keyOf(change),
    before,
    after: Object.fromEntries(names.map((name) => [name, patch[name] ?? null])),
  });
}

export async function editMetadata(change: Change, patch: MetadataPatch): Promise<void> {
  await client.change.setMetadata({ changeIds: [keyOf(change)], patch });
  recordMetadata(change, patch);
}

export async function describeChange(change: Change, description: string): Promise<void> {
  await client.change.describe({ changeId: keyOf(change), description });
  recordEdit(`the new description of “${titleOf(change)}”`, {
    kind: "describe",
    key: keyOf(change),
    before: change.description,
    after: description,
  });
}

/** A merge has several parents, which only the operation brings back. */
export async function moveChange(key: RowKey, onto: RowKey): Promise<void> {
  const { graph } = useGraph.getState();
  const change = changeAt(key);
  const target = changeAt(onto);
  const [parent] = change && graph ? change.parents.flatMap((one) => changeOfCommit(graph, one) ?? []) : [];
  const { operation } = await client.change.rebase({ changeId: key, onto });
  if (!change) return;
  recordEdit(
    `the move of “${titleOf(change)}”${target ? ` onto “${titleOf(target)}”` : ""}`,
    parent && change.parents.length === 1
      ? { kind: "rebase", key, before: keyOf(parent), after: onto }
      : { kind: "operation", operation },
  );
}

export async function abandonChange(change: Change): Promise<void> {
  const { operation } = await client.change.abandon({ changeId: keyOf(change) });
  recordEdit(`abandoning “${titleOf(change)}”`, { kind: "operation", operation });
}

export async function undoOperation(operation: string, words: string): Promise<void> {
  const reverted = await client.operation.revert({ operation });
  if (reverted.landing) recordLandingTakenBack(reverted.landing);
  else recordEdit(`undoing “${words}”`, { kind: "operation", operation: reverted.operation });
}
