/** What can be done with one change: for its menu, its keys, and the palette. */
import { create } from "zustand";
import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { confirm } from "../../kit/dialog.tsx";
import { abandonChange, editMetadata } from "../../state/graph-edits.ts";
import { subjectOf } from "../../state/graph-store.ts";
import { attempt, notify } from "../../state/notify.ts";
import { isRefused } from "../../state/role.ts";

const nameOf = (change: Change): string => subjectOf(change) || change.changeId.slice(0, 8);

export const setMetadata = (change: Change, patch: MetadataPatch): Promise<boolean> =>
  attempt(`“${nameOf(change)}” was not changed`, () => editMetadata(change, patch));

export async function abandon(change: Change): Promise<void> {
  if (isRefused("change.abandon")) return;
  if (change.immutable) {
    notify("info", "This change is immutable: it is part of shared history.");
    return;
  }
  const yes = await confirm({
    title: "Abandon this change?",
    action: "Abandon",
    danger: true,
    body: `“${nameOf(change)}” is removed from the graph, and its descendants are rebased onto its parent. You can undo this.`,
  });
  if (yes) {
    await attempt(`“${nameOf(change)}” was not abandoned`, () => abandonChange(change));
  }
}

export async function copy(what: string, text: string): Promise<void> {
  const done = await attempt(`The ${what} was not copied`, () => navigator.clipboard.writeText(text));
  if (done) notify("info", `Copied the ${what}: ${startOf(text, 40)}`);
}

/** The change whose description is being edited. */
export const useDescribing = create<{ readonly change: Change | null }>(() => ({ change: null }));

export function editDescription(change: Change): void {
  if (isRefused("change.describe")) return;
  if (change.immutable) notify("info", "This change is immutable: its description cannot be edited.");
  else useDescribing.setState({ change });
}
