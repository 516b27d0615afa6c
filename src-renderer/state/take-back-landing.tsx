/** Takes a landing back, after a look at what comes off the branch, and says why no undo brings it again. */
import type { UndoLandingPreview } from "#shared/contract/commands/run.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../client.ts";
import { confirm } from "../kit/dialog.tsx";
import { TitleList } from "../kit/scroll-box.tsx";
import { type Edit, recordEdit } from "./edit-history.ts";
import { changeOfKey, keyOf, subjectOf, untilOnScreen, useGraph } from "./graph-store.ts";
import { useHost } from "./host-store.ts";
import { notify } from "./notify.ts";
import { takeBackAmendment } from "./plan-amendment.ts";
import { redoEdit, undoEdit, usePlanDrafts } from "./plan-draft.ts";
import type { RowKey } from "./selection-store.ts";

type Landing = Pick<UndoLandingPreview, "bookmark" | "to">;
type LandingUndo =
  | { readonly kind: "done"; readonly landing: Landing }
  | { readonly kind: "refused"; readonly reason: string; readonly remedy: string }
  /** A user looked at it and said no. */
  | { readonly kind: "kept" };

/** Shows what comes off the branch, and takes it off after a yes. */
export async function takeLandingBack(): Promise<LandingUndo> {
  const landing = await client.run.previewUndoLanding();
  if (landing.refusal) return { kind: "refused", ...landing.refusal };
  if (!(await confirmed(landing))) return { kind: "kept" };
  await client.run.undoLanding();
  return { kind: "done", landing };
}

/** The history entry of an undone landing. */
function landingTakenBack({ bookmark, to }: Landing): Edit {
  const commit = to.slice(0, 12);
  return {
    kind: "final",
    why: `A landing cannot be redone. To land the result again, run \`git merge ${commit}\` or \`jj bookmark set ${bookmark} -r ${commit}\`. The landed changes are still on the graph.`,
    at: null,
  };
}

/** Records it, and shows where the branch is. */
export function recordLandingTakenBack(landing: Landing): void {
  recordEdit(`undoing the landing on ${landing.bookmark}`, landingTakenBack(landing));
  notify("info", `Undid the landing on ${landing.bookmark}. The work is still in the graph.`, null);
}

/** Exactly what comes off the branch. */
const confirmed = ({ bookmark, from, commits }: UndoLandingPreview): Promise<boolean> =>
  confirm({
    title: `Undo the landing on ${bookmark}?`,
    body: (
      <div className="flex flex-col gap-2">
        <p>
          {from === null
            ? `${bookmark} was created by this landing and is removed.`
            : `${bookmark} moves back to the commit before the landing (${from.slice(0, 8)}).`}{" "}
          Your own edits are kept, and the work stays in the graph.
        </p>
        <TitleList
          label="Commits removed from the branch"
          titles={commits.map((title) => ({ id: null, title: shownText(title) }))}
        />
      </div>
    ),
    action: "Undo",
  });

type TakenBack =
  /** `next` is what undoes the undoing. */
  | { readonly kind: "done"; readonly next: Edit }
  | {
      readonly kind: "refused";
      readonly why: string;
      /** What prevents it. */
      readonly at: { readonly key: RowKey; readonly title: string } | null;
    }
  /** A user was asked once more, and said no. */
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

async function undoOperation(operation: string): Promise<TakenBack> {
  const undone = await client.operation.undo({ operation });
  if (undone.kind === "refused") {
    const { why, at } = undone;
    return { kind: "refused", why, at: at && { key: at.changeId, title: at.title } };
  }
  if (undone.landing) return { kind: "done", next: landingTakenBack(undone.landing) };
  await untilOnScreen(undone.operation);
  return { kind: "done", next: { kind: "operation", operation: undone.operation } };
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

/**
 * Undoes an edit, or names the change that prevents it.
 *
 * @param way for a plan, whose draft keeps its own steps
 */
export async function takeBack(edit: Edit, way: "undo" | "redo"): Promise<TakenBack> {
  switch (edit.kind) {
    case "operation":
      return undoOperation(edit.operation);
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
    case "plan": {
      const draft = usePlanDrafts.getState().drafts.get(edit.item);
      if (!draft || draft[way === "undo" ? "past" : "future"].length === 0) return { kind: "gone" };
      (way === "undo" ? undoEdit : redoEdit)(edit.item);
      return { kind: "done", next: edit };
    }
  }
}
