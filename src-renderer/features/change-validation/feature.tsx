import { Scale } from "lucide-react";
import { useState } from "react";
import type { ChangeValidation, JudgingEnd } from "#shared/contract/commands/validation.ts";
import { describeBudget } from "#shared/domain/spending/budget.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { dollars } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextArea } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { IndeterminateLine } from "../../kit/load-failure.tsx";
import type { Feature } from "../../registry/feature.ts";
import {
  beginValidation,
  cancelValidation,
  closeValidation,
  openValidation,
  useChangeValidations,
  useLastValidation,
} from "../../state/change-validation.ts";
import { changeOfKey, isRoot, subjectOf, useChange, useGraph } from "../../state/graph-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { useSubmit } from "../../state/use-loaded.ts";
import { VotesView } from "../inspector/votes-view.tsx";

/** A change that can be judged: on the graph, and not jj's root. */
function isThere(changeId: string | null): changeId is string {
  const { graph } = useGraph.getState();
  const change = changeId === null || graph === null ? null : changeOfKey(graph, changeId);
  return change !== null && !isRoot(change);
}

/** The panel judges any change, without a run. */
export const changeValidation: Feature = {
  actions: [
    {
      id: "validate-change",
      title: "Validate the selected change…",
      group: "Go",
      words: "judge panel votes verdict review seats",
      available: () => isThere(useSelection.getState().selected),
      run() {
        const { selected } = useSelection.getState();
        if (isThere(selected)) openValidation(selected);
      },
    },
  ],
  dialogs: [ValidateDialog],
  changeMenu: {
    order: 4,
    entriesOf: (changeId) =>
      isThere(changeId)
        ? [
            {
              label: "Validate this change…",
              icon: <Scale size={14} />,
              command: "change.validate",
              onSelect: () => openValidation(changeId),
            },
          ]
        : [],
  },
};

/** Has the panel judge a change, and shows each vote as it arrives. Closing it does not stop the panel. */
function ValidateDialog() {
  const open = useChangeValidations((state) => state.open);
  return open === null ? null : <OpenDialog key={open} changeId={open} />;
}

function OpenDialog({ changeId }: { readonly changeId: string }) {
  const last = useLastValidation(changeId);
  const change = useChange(changeId);
  const commitId = change?.commitId ?? null;
  const [goal, setGoal] = useState("");
  const { sending, failure, submit } = useSubmit<"asking">();
  const isGoing = last?.end === null;
  const usable = !isGoing && sending === null;
  const begin = (): Promise<void> => submit("asking", () => beginValidation(changeId, goal));
  return (
    <Dialog
      open
      onClose={closeValidation}
      title="Validate this change"
      description={`${change ? `${subjectOf(change)}. ` : ""}The project's checks run first, then each validator judges the change in its own fresh checkout. Keeps running if you close this.`}
      actions={
        <>
          <Button onClick={closeValidation}>Close</Button>
          {isGoing ? (
            <Button onClick={() => void cancelValidation(last.id)}>Cancel the validation</Button>
          ) : (
            <Button look="primary" disabled={!usable} onClick={() => void begin()}>
              {last ? "Validate again" : "Validate"} <Keys keys="mod+Enter" />
            </Button>
          )}
        </>
      }
    >
      {last && <Judged value={last} isVoid={commitId !== null && commitId !== last.commitId} />}
      {!isGoing && (
        <TextArea
          aria-label="What it should do"
          placeholder="What it should do (optional; the description is used if empty)"
          autoFocus
          rows={2}
          maxLength={20_000}
          value={goal}
          onChange={(event) => setGoal(event.target.value)}
          onSend={() => usable && void begin()}
        />
      )}
      <FailureLine failure={failure} className="mt-1" />
    </Dialog>
  );
}

function Judged({ value, isVoid }: { readonly value: ChangeValidation; readonly isVoid: boolean }) {
  const { validation, activity, end, spent, limit } = value;
  const most = describeBudget(limit);
  return (
    <section aria-label="Verdict" aria-live="polite" className="mb-3 flex flex-col gap-2">
      {isVoid && (
        <p className="rounded-md bg-warning-soft px-3 py-2 text-sm text-warning">
          The change has a new commit. This verdict no longer applies to it.
        </p>
      )}
      {end === null && <IndeterminateLine label={shownText(activity)} />}
      {validation && (
        <div className="max-h-[min(30rem,60vh)] overflow-y-auto">
          <VotesView validation={validation} trust={value.trust} />
        </div>
      )}
      {end !== null && end.kind !== "done" && <p className="text-sm text-warning">{formatJudgingEnd(end)}</p>}
      <p className="text-xs text-faint tabular-nums">
        {dollars(spent.microDollars)} spent{most === "" ? "" : `, ${most}`}
      </p>
    </section>
  );
}

/** Why something that asks judges did not come to its end, and what to do. */
function formatJudgingEnd(end: Exclude<JudgingEnd, { kind: "done" }>): string {
  switch (end.kind) {
    case "cancelled":
      return "Cancelled. No result was kept.";
    case "budget":
      return "The budget is used up. Raise [budget] max_usd in .hox/config.toml, or the default in the settings.";
    case "failed":
      return `${end.message} ${end.remedy}`;
  }
}
