import { Undo2 } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { Operation } from "#shared/graph/change.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { useHost } from "../../state/host-store.ts";
import { useReplay } from "../../state/replay-store.ts";
import { act, possible } from "../agent/agent-actions.ts";
import { OperationList } from "./operation-list.tsx";
import { actorName, actorsOf, operationRows } from "./operation-text.ts";
import { useOperationSubjects, useRunOperations } from "./use-operation-subjects.ts";

/** Beside the filter: all of one agent's work at once, instead of operation by operation. */
function UndoAgent({ name }: { readonly name: string | null }) {
  const run = useHost((state) => state.run);
  const inbox = useHost((state) => state.inbox);
  const worker = run?.workers.find((one) => one.name === name);
  if (!run || !worker || !possible(worker, run, inbox).has("undo")) return null;
  return (
    <Button look="ghost" size="sm" className="mr-2" onClick={() => act("undo", worker.name)}>
      <Undo2 size={13} aria-hidden /> Undo this agent’s work…
    </Button>
  );
}

/** The newest first: of now, or of the run that is replayed. */
function useOperations(): readonly Operation[] {
  const live = useHost((state) => state.operations);
  const view = useReplay((state) => state.view);
  const { operations } = useRunOperations(
    view?.file === null ? view.run : null,
    view?.from ?? 0,
    view?.to ?? null,
  );
  const replayed = useMemo(() => operations.toReversed(), [operations]);
  // While those of the replay load, the earlier ones stay.
  const last = useRef<readonly Operation[]>(live);
  const shown =
    view === null ? live : replayed.length > 0 ? replayed : view.file === null ? last.current : replayed;
  last.current = shown;
  return shown;
}

/** The operation log: who did what, newest first. */
export function OperationsPanel() {
  const operations = useOperations();
  const [actor, setActor] = useState<string | null>(null);
  const [snapshots, setSnapshots] = useState(false);
  const actors = useMemo(() => actorsOf(operations), [operations]);
  const shown = useMemo(
    () =>
      operations.filter(
        (one) =>
          one.parents.length > 0 && (snapshots || !one.snapshot) && (actor === null || one.actor === actor),
      ),
    [operations, actor, snapshots],
  );
  const subjects = useOperationSubjects(shown);
  const rows = useMemo(() => operationRows(shown, subjects), [shown, subjects]);
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-8 shrink-0 items-center gap-1 overflow-x-auto border-b px-2">
        <h2 className="mr-2 pl-1 text-sm font-medium text-muted">Operations</h2>
        {[null, ...actors.map((one) => one.name)].map((name) => (
          <button
            key={name ?? ""}
            type="button"
            aria-pressed={actor === name}
            onClick={() => setActor(name)}
            className={cx(
              "h-6 shrink-0 rounded-md px-2 text-sm",
              actor === name ? "bg-hover font-medium text-text" : "text-muted hover:text-text",
            )}
          >
            {name === null ? "everyone" : actorName(name)}
          </button>
        ))}
        <span className="flex-1" />
        <UndoAgent name={actor} />
        <label className="flex shrink-0 items-center gap-1.5 pr-1 text-sm text-muted">
          <input
            type="checkbox"
            checked={snapshots}
            onChange={(event) => setSnapshots(event.target.checked)}
            className="accent-[var(--accent)]"
          />
          snapshots
        </label>
      </div>
      {rows.length === 0 ? (
        <EmptyState title={operations.length === 0 ? "No operations yet" : "No matching operations"}>
          {operations.length === 0
            ? "Every change to the repository is listed here and can be undone."
            : "Select everyone, or include snapshots."}
        </EmptyState>
      ) : (
        <OperationList rows={rows} subjects={subjects} />
      )}
    </div>
  );
}
