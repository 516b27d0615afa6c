import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { ConflictView } from "#shared/contract/views/conflict.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { isAtWork } from "#shared/domain/worker/at-work.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Failure } from "../../client.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { Keys } from "../../kit/keys.tsx";
import { type Resolution, settleConflict } from "../../state/conflict-edit.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { goThroughHistory } from "../../state/undo-and-redo.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { type Draft, draftOf, keepDraft } from "./conflict-store.ts";
import { HandOver } from "./hand-over.tsx";
import { MergeEditor } from "./merge-editor.tsx";
import { beginning, undecided } from "./places.ts";
import { sideNames } from "./side-name.ts";
import { Sides } from "./sides.tsx";

/** Nothing is written into a change while its agent is in the middle of a turn. */
function WaitsForTurn({ change }: { readonly change: Change }) {
  const name = useHost(({ run }) => {
    const own = workersByChange(run?.workers ?? []).get(change.changeId);
    return own && isAtWork(own.state) ? own.name : null;
  });
  return name === null ? null : (
    <p role="status" className="shrink-0 border-t px-3 py-1.5 text-sm text-muted">
      {name} is in the middle of a turn. Your resolution is saved when the turn ends.
    </p>
  );
}

interface FileConflictProps {
  readonly change: Change;
  readonly view: ConflictView;
}

/** One file: its sides above, below them the result, and who else could write it. */
export function FileConflict({ change, view }: FileConflictProps) {
  const names = useMemo(() => sideNames(view.sides), [view.sides]);
  const firstSide = view.sides.findIndex(({ kind }) => kind === "side");
  const [compared, setCompared] = useState(Math.max(0, firstSide));
  const { sending, failure, settle } = useSettle(change, view);
  const canWrite = !isReplaying() && !change.immutable;
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <Sides
        view={view}
        names={names}
        compared={view.kind === "text" ? compared : null}
        onCompare={setCompared}
        onTake={canWrite && sending === null ? (commit) => void settle({ kind: "commit", commit }) : null}
      />
      {view.kind === "text" ? (
        <WrittenResult
          view={view}
          names={names}
          compared={compared}
          failure={failure}
          isBusy={sending !== null}
          canWrite={canWrite}
          onSave={(text) => void settle({ kind: "text", text })}
        />
      ) : (
        <WholeFile view={view} failure={failure} />
      )}
      {sending !== null && <WaitsForTurn change={change} />}
      {canWrite && sending === null && <HandOver change={change} path={view.path} />}
    </div>
  );
}

/** Writes what was decided into the change; that can be taken back as any operation. */
function useSettle(change: Change, view: ConflictView) {
  const { sending, failure, submit } = useSubmit<"settling">();
  const settle = (as: Resolution): Promise<void> =>
    submit("settling", async () => {
      const { path, seen } = view;
      const { changeId } = change;
      const isResolved = await settleConflict({ changeId, path, seen, as });
      keepDraft(seen, null);
      notify(
        isResolved ? "info" : "warning",
        isResolved
          ? `Resolved ${shownName(path)}.`
          : `${shownName(path)} was saved and is still in conflict.`,
        isResolved ? null : "The saved text contains conflict markers.",
        {
          label: "Undo",
          run: () => void goThroughHistory("undo"),
        },
      );
    });
  return { sending, failure, settle };
}

interface WrittenResultProps {
  readonly view: Extract<ConflictView, { kind: "text" }>;
  readonly names: readonly string[];
  readonly compared: number;
  readonly failure: Failure | null;
  readonly isBusy: boolean;
  readonly canWrite: boolean;
  readonly onSave: (text: string) => void;
}

function WrittenResult(props: WrittenResultProps) {
  const { view, names, compared, failure, isBusy, canWrite, onSave } = props;
  const [initial] = useState<Draft>(() => draftOf(view.seen) ?? beginning(view.parts));
  const [draft, setDraft] = useState(initial);
  const walk = useRef<(step: 1 | -1) => void>(() => undefined);
  const left = undecided(draft.places);
  const isReady = canWrite && left === 0 && !isBusy;
  const save = (): void => {
    if (isReady) onSave(draft.text);
  };
  return (
    <>
      <div className="grid shrink-0 grid-cols-2 border-b bg-canvas text-sm text-muted">
        <span className="flex items-center truncate border-r px-3 py-1">
          <span className="font-medium text-text">{names[compared]}</span>
        </span>
        <span className="flex items-center gap-1 px-3 py-1">
          <span className="font-medium text-text">Result</span>
          <span role="status" className="min-w-0 flex-1 truncate">
            {left === 0
              ? "all conflicts resolved"
              : `${left} of ${draft.places.length} ${draft.places.length === 1 ? "conflict" : "conflicts"} unresolved`}
          </span>
          <IconButton
            label="Previous conflict"
            keys="alt+ArrowUp"
            className="size-6"
            icon={<ArrowUp size={13} />}
            onClick={() => walk.current(-1)}
          />
          <IconButton
            label="Next conflict"
            keys="alt+ArrowDown"
            className="size-6"
            icon={<ArrowDown size={13} />}
            onClick={() => walk.current(1)}
          />
          <Button
            look="primary"
            size="sm"
            disabled={!isReady}
            title={left === 0 ? "Save the result to the change" : "Resolve every conflict first"}
            onClick={save}
          >
            {isBusy ? "Saving…" : "Save"} <Keys keys="mod+Enter" />
          </Button>
        </span>
      </div>
      {failure && <FailureLine failure={failure} className="shrink-0 border-b px-3 py-1" />}
      <div className="min-h-0 flex-1">
        <MergeEditor
          seen={view.seen}
          parts={view.parts}
          names={names}
          compared={compared}
          initial={initial}
          onChange={setDraft}
          onSave={save}
          walk={walk}
        />
      </div>
    </>
  );
}

const whyWhole = {
  binary: "This file is binary and cannot be merged line by line. Take one side.",
  long: "This file is too long to merge line by line here. Take one side, or resolve it in a workspace.",
  "no-file": "One side is a link or a folder. Take one side.",
} as const;

function WholeFile({
  view,
  failure,
}: {
  readonly view: Extract<ConflictView, { kind: "whole" }>;
  readonly failure: Failure | null;
}) {
  return (
    <div className="min-h-0 flex-1 overflow-auto p-4 text-muted">
      <p>{whyWhole[view.why]}</p>
      <FailureLine failure={failure} />
      {view.words !== "" && (
        <pre className="mt-3 rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap" data-selectable>
          {view.words}
        </pre>
      )}
    </div>
  );
}
