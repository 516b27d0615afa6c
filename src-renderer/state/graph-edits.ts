/** What a user changes on the graph: each is sent to the host, and kept in the one history of edits by its operation. */
import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../client.ts";
import { type Edit, recordEdit } from "./edit-history.ts";
import { changeOfKey, keyOf, untilOnScreen, useGraph } from "./graph-store.ts";
import type { RowKey } from "./selection-store.ts";
import { titleOf } from "./take-back.ts";
import { recordLandingTakenBack } from "./take-back-landing.tsx";

const changeAt = (key: RowKey): Change | null => {
  const { graph } = useGraph.getState();
  return graph && changeOfKey(graph, key);
};

const shown = (value: unknown): string => String(value ?? "none").replace("_", " ");

export async function editMetadata(change: Change, patch: MetadataPatch): Promise<void> {
  const { operation } = await client.change.setMetadata({ changeIds: [keyOf(change)], patch });
  const words = Object.entries(patch).map(([name, value]) => `${name} ${shown(value)}`);
  recordEdit(
    `“${titleOf(change)}”: ${words.join(", ")}`,
    operation === null ? byRun(change) : { kind: "operation", operation },
  );
  if (operation !== null) await untilOnScreen(operation);
}

/** The run itself writes the status of a task that it works on. */
const byRun = (change: Change): Edit => ({
  kind: "final",
  why: "The run carries out a status by itself. Set the earlier status again.",
  at: { key: keyOf(change), title: titleOf(change) },
});

export async function describeChange(change: Change, description: string): Promise<void> {
  const { operation } = await client.change.describe({ changeId: keyOf(change), description });
  recordEdit(`the new description of “${titleOf(change)}”`, { kind: "operation", operation });
  await untilOnScreen(operation);
}

export async function moveChange(key: RowKey, onto: RowKey): Promise<void> {
  const [change, target] = [changeAt(key), changeAt(onto)];
  const { operation } = await client.change.rebase({ changeId: key, onto });
  const what = change ? titleOf(change) : key;
  recordEdit(`the move of “${what}”${target ? ` onto “${titleOf(target)}”` : ""}`, {
    kind: "operation",
    operation,
  });
}

export async function abandonChange(change: Change): Promise<void> {
  const { operation } = await client.change.abandon({ changeId: keyOf(change) });
  recordEdit(`abandoning “${titleOf(change)}”`, { kind: "operation", operation });
}

type Conflict = Parameters<typeof client.change.resolveConflict>[0];
export type Resolution = Conflict["as"];

/** @returns whether the file is settled with it; @throws what the host refuses it with */
export async function settleConflict(conflict: Conflict): Promise<boolean> {
  const { isResolved, operation } = await client.change.resolveConflict(conflict);
  recordEdit(`the conflict in ${shownName(conflict.path)}`, { kind: "operation", operation });
  return isResolved;
}

/** Of whatever made it, also where later changes build on it. */
export async function undoOperation(operation: string, words: string): Promise<void> {
  const undone = await client.operation.undo({ operation, force: true });
  if (undone.kind === "refused") throw new Error(undone.why);
  if (undone.landing) recordLandingTakenBack(undone.landing);
  else recordEdit(`undoing “${words}”`, { kind: "operation", operation: undone.operation });
}
