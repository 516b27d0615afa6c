import { useVirtualizer } from "@tanstack/react-virtual";
import { Undo2 } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { Operation } from "#shared/graph/change.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { confirm } from "../../kit/confirm.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { withShortIds } from "../../kit/short-ids.ts";
import { undoOperation } from "../../state/graph-edits.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";
import { act, possible } from "../agent/agent-actions.ts";
import { actorsOf } from "./operation-words.ts";

const rowHeight = 28;

async function revert(operation: Operation): Promise<void> {
  const yes = await confirm({
    title: "Undo this operation?",
    action: "Undo it",
    body: (
      <>
        <p className="text-text">{withShortIds(operation.description)}</p>
        <p className="mt-1">
          by {operation.actor}. Only what this operation did is undone; what came after it stays. The undoing
          is an operation of its own, which can be undone too.
        </p>
      </>
    ),
  });
  if (yes)
    await attempt("The operation was not undone", () =>
      undoOperation(operation.id, withShortIds(operation.description)),
    );
}

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

/** The operation log: who did what, newest first. */
export function OperationsPanel() {
  const operations = useHost((state) => state.operations);
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
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
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
            {name ?? "everyone"}
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
      {shown.length === 0 ? (
        <EmptyState title={operations.length === 0 ? "No operation yet" : "None of these"}>
          {operations.length === 0
            ? "Everything that changes the repository will be listed here, and can be undone."
            : "Choose everyone, or show snapshots too."}
        </EmptyState>
      ) : (
        <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
          <ol className="relative" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((item) => {
              const operation = shown[item.index];
              if (!operation) return null;
              return <OperationRow key={operation.id} operation={operation} top={item.start} />;
            })}
          </ol>
        </div>
      )}
    </div>
  );
}

function OperationRow({ operation, top }: { readonly operation: Operation; readonly top: number }) {
  return (
    <li
      className="group absolute inset-x-0 flex items-center gap-2.5 px-3 hover:bg-hover"
      style={{ height: rowHeight, transform: `translateY(${top}px)` }}
    >
      <Avatar name={operation.actor} size={16} />
      <span className="w-28 shrink-0 truncate text-muted">{operation.actor}</span>
      <span className="min-w-0 flex-1 truncate">{withShortIds(operation.description)}</span>
      {operation.snapshot && <Badge>snapshot</Badge>}
      <span className="font-mono text-xs text-faint">{operation.id.slice(0, 8)}</span>
      <RelativeTime at={operation.time} className="w-10 text-right text-sm text-faint" />
      <IconButton
        label="Undo this operation"
        icon={<Undo2 size={13} />}
        onClick={() => void revert(operation)}
        className="size-6 opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
      />
    </li>
  );
}
