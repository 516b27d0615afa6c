/** Undoes an edit, or names the change that prevents it. */
import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import type { Change } from "#shared/graph/change.ts";
import { changeOfCommit } from "#shared/graph/change-graph.ts";
import { client } from "../client.ts";
import { takeBackConflict } from "./conflict-edit.ts";
import { bodyOf, withBody } from "./description-body.ts";
import type { Edit } from "./edit-history.ts";
import { changeOfKey, keyOf, subjectOf, useGraph } from "./graph-store.ts";
import { useHost } from "./host-store.ts";
import { takeBackAmendment } from "./plan-amendment.ts";
import { redoEdit, undoEdit, usePlanDrafts } from "./plan-draft.ts";
import type { RowKey } from "./selection-store.ts";
import { landingTakenBack, takeLandingBack } from "./take-back-landing.tsx";

export type TakenBack =
  /** `next` is what undoes the undoing. */
  | { readonly kind: "done"; readonly next: Edit }
  | {
      readonly kind: "refused";
      readonly why: string;
      /** What prevents it. */
      readonly at: { readonly key: RowKey; readonly title: string } | null;
    }
  /** A person was asked once more, and said no. */
  | { readonly kind: "kept" }
  /** There is nothing left to take back, and nothing to be said of it. */
  | { readonly kind: "gone" };

export const titleOf = (change: Change): string => subjectOf(change) || change.changeId.slice(0, 8);

const refused = (why: string, change: Change | null = null): TakenBack => ({
  kind: "refused",
  why,
  at: change && { key: keyOf(change), title: titleOf(change) },
});

const changeNamed = (key: RowKey): Change | null => {
  const { graph } = useGraph.getState();
  return graph && changeOfKey(graph, key);
};

const gone = "It is no longer on the graph.";

/** Of a pair of states, the way that leads back; what a redo does is the same the other way round. */
const turned = <E extends { readonly before: unknown; readonly after: unknown }>(edit: E): E => ({
  ...edit,
  before: edit.after,
  after: edit.before,
});

async function undoDescribe(edit: Extract<Edit, { kind: "describe" }>): Promise<TakenBack> {
  const change = changeNamed(edit.key);
  if (!change) return refused(gone);
  const isSame = change.description.trimEnd() === edit.after.trimEnd();
  if (!isSame && bodyOf(change.description) !== bodyOf(edit.after))
    return refused("Its description was changed in the meantime.", change);
  // What a run has written below the words since, stays.
  const description = isSame ? edit.before : withBody(change.description, bodyOf(edit.before));
  await client.change.describe({ changeId: edit.key, description });
  return { kind: "done", next: turned(edit) };
}

async function takeBackMetadata(edit: Extract<Edit, { kind: "metadata" }>): Promise<TakenBack> {
  const change = changeNamed(edit.key);
  if (!change) return refused(gone);
  const names = Object.keys(edit.after) as (keyof MetadataPatch)[];
  const other = names.find((name) => (change.metadata[name] ?? null) !== (edit.after[name] ?? null));
  if (other !== undefined) {
    const now = change.metadata[other] ?? "not set";
    return refused(`Its ${other} was changed in the meantime to ${String(now).replace("_", " ")}.`, change);
  }
  await client.change.setMetadata({ changeIds: [edit.key], patch: edit.before });
  return { kind: "done", next: turned(edit) };
}

async function takeBackRebase(edit: Extract<Edit, { kind: "rebase" }>): Promise<TakenBack> {
  const { graph } = useGraph.getState();
  const change = changeNamed(edit.key);
  if (!graph || !change) return refused(gone);
  const [parent] = change.parents.flatMap((commit) => changeOfCommit(graph, commit) ?? []);
  if (!parent || keyOf(parent) !== edit.after || change.parents.length !== 1)
    return refused("It was moved in the meantime.", change);
  if (changeNamed(edit.before) === null) return refused(`Its former parent no longer exists.`, change);
  await client.change.rebase({ changeId: edit.key, onto: edit.before });
  return { kind: "done", next: turned(edit) };
}

async function takeBackOperation({ operation }: { readonly operation: string }): Promise<TakenBack> {
  const undone = await client.operation.undo({ operation });
  if (undone.kind === "undone")
    return { kind: "done", next: { kind: "operation", operation: undone.operation } };
  const [first] = undone.dependents;
  const others = undone.dependents.length - 1;
  const more = others === 0 ? "" : others === 1 ? " and one more" : ` and ${others} more`;
  return {
    kind: "refused",
    why: `Later changes build on it: “${first?.title ?? ""}”${more}.`,
    at: first ? { key: first.changeId, title: first.title } : null,
  };
}

/** Agents have taken a decision in; it stays one until another one is made. */
function whoStandsOn({ title }: { readonly title: string }): TakenBack {
  const { graph } = useGraph.getState();
  const decision = graph?.changes.find(
    (change) => change.metadata.kind === "mutation" && subjectOf(change).includes(title),
  );
  return refused(
    "Agents’ work already builds on this decision. Make a new decision to replace it.",
    decision ?? null,
  );
}

/** Where it has not landed yet, or was taken back elsewhere, the newest landing is another one. */
async function takeBackLanding({ run }: { readonly run: string }): Promise<TakenBack> {
  const { landed, endedAt } = useHost.getState().run ?? {};
  if (useHost.getState().run?.id !== run)
    return refused("A different run is selected. Select that run first.");
  if (!landed || endedAt === null) return refused("It has not landed yet. Try again after it has landed.");
  if (landed.undoneAt != null) return { kind: "gone" };
  const taken = await takeLandingBack();
  if (taken.kind === "refused") return refused(`${taken.reason} ${taken.remedy}`);
  return taken.kind === "kept" ? taken : { kind: "done", next: landingTakenBack(taken.landing) };
}

/** @param way for a plan, whose draft keeps its own steps */
export async function takeBack(edit: Edit, way: "undo" | "redo"): Promise<TakenBack> {
  switch (edit.kind) {
    case "describe":
      return undoDescribe(edit);
    case "metadata":
      return takeBackMetadata(edit);
    case "rebase":
      return takeBackRebase(edit);
    case "operation":
      return takeBackOperation(edit);
    case "choice":
      if ((way === "undo") === (edit.isTakenBack === undefined))
        await client.attempt.undoChoice({ worker: edit.worker });
      else await client.attempt.choose({ worker: edit.worker });
      return { kind: "done", next: edit };
    case "final":
      return { kind: "refused", why: edit.why, at: edit.at };
    case "landing":
      return takeBackLanding(edit);
    case "decision":
      return whoStandsOn(edit);
    case "amendment": {
      const { kind, ...amendment } = edit;
      const taken = await takeBackAmendment(amendment);
      if (taken.kind === "done") return { kind: "done", next: { kind, ...taken.next } };
      return refused(taken.why, taken.changeId === null ? null : changeNamed(taken.changeId));
    }
    case "conflict": {
      const { kind, ...settled } = edit;
      const taken = await takeBackConflict(settled, way);
      if (taken.kind === "done") return { kind: "done", next: { kind, ...taken.next } };
      return refused(taken.why, changeNamed(edit.changeId));
    }
    case "plan": {
      const draft = usePlanDrafts.getState().drafts.get(edit.item);
      if (!draft || draft[way === "undo" ? "past" : "future"].length === 0) return { kind: "gone" };
      (way === "undo" ? undoEdit : redoEdit)(edit.item);
      return { kind: "done", next: edit };
    }
  }
}
