/** What a user changes on the graph: each is sent to the host, and kept in the one history of edits by its operation. */
import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../client.ts";
import { type Edit, recordEdit, recordWrite } from "./edit-history.ts";
import { changeOfKey, keyOf, untilOnScreen, useGraph } from "./graph-store.ts";
import type { RowKey } from "./selection-store.ts";
import { recordLandingTakenBack, titleOf } from "./take-back-landing.tsx";

const changeAt = (key: RowKey): Change | null => {
  const { graph } = useGraph.getState();
  return graph && changeOfKey(graph, key);
};

const shown = (value: unknown): string => String(value ?? "none").replace("_", " ");

export async function editMetadata(change: Change, patch: MetadataPatch): Promise<void> {
  const words = Object.entries(patch).map(([name, value]) => `${name} ${shown(value)}`);
  const what = `“${titleOf(change)}”: ${words.join(", ")}`;
  const sent = client.change.setMetadata({ changeIds: [keyOf(change)], patch });
  const { operation } = await recordWrite(what, sent);
  if (operation === null) recordEdit(what, byRun(change));
  else await untilOnScreen(operation);
}

/** The run itself writes the status of a task that it works on. */
const byRun = (change: Change): Edit => ({
  kind: "final",
  why: "The run has already acted on the status. Set the earlier status again.",
  at: { key: keyOf(change), title: titleOf(change) },
});

export async function describeChange(change: Change, description: string): Promise<void> {
  const sent = client.change.describe({ changeId: keyOf(change), description });
  const { operation } = await recordWrite(`the new description of “${titleOf(change)}”`, sent);
  await untilOnScreen(operation);
}

export async function moveChange(key: RowKey, onto: RowKey): Promise<void> {
  const [change, target] = [changeAt(key), changeAt(onto)];
  const title = change ? titleOf(change) : key;
  const what = `the move of “${title}”${target ? ` onto “${titleOf(target)}”` : ""}`;
  await recordWrite(what, client.change.rebase({ changeId: key, onto }));
}

export async function abandonChange(change: Change): Promise<void> {
  const sent = client.change.abandon({ changeId: keyOf(change) });
  await recordWrite(`abandoning “${titleOf(change)}”`, sent);
}

type Conflict = Parameters<typeof client.change.resolveConflict>[0];
export type Resolution = Conflict["as"];

/** @returns whether the file is settled with it; @throws what the host refuses it with */
export async function settleConflict(conflict: Conflict): Promise<boolean> {
  const sent = client.change.resolveConflict(conflict);
  const { isResolved } = await recordWrite(`the conflict in ${shownName(conflict.path)}`, sent);
  return isResolved;
}

/** Of whatever made it, also where later changes build on it. */
export async function undoOperation(operation: string, words: string): Promise<void> {
  const undone = await client.operation.undo({ operation, force: true });
  if (undone.kind === "refused") throw new Error(undone.why);
  if (undone.landing) recordLandingTakenBack(undone.landing);
  else recordEdit(`undoing “${words}”`, { kind: "operation", operation: undone.operation });
}
