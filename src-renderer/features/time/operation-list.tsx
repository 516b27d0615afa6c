/** Rows of operations: chosen by a click or the arrows, shown on the graph of that time, undone one by one. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight, History, RotateCcw, Undo2 } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Operation } from "#shared/graph/change.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { confirm } from "../../kit/dialog.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { undoOperation } from "../../state/graph-edits.ts";
import { changeOfKey, useGraph } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { seek } from "../../state/replay.ts";
import { useReplay } from "../../state/replay-store.ts";
import { lookAt } from "../../state/selection-store.ts";
import { lookBack } from "./look-back.ts";
import {
  actorName,
  commitsNamed,
  type OperationRow,
  operationRows,
  type Subjects,
} from "./operation-text.ts";
import { openRestore } from "./restore-dialog.tsx";

interface Here {
  /** By a number of rows, or to an end. */
  readonly move: (by: number) => void;
  readonly show: () => void;
}

/** Keys of the list; Tab leads on to what can be done with the row. */
export const operationKeys: KeyTable<Here> = {
  place: "In the operations",
  rows: [
    { keys: "ArrowUp", what: "the previous row", run: ({ move }) => move(-1) },
    { keys: "ArrowDown", what: "the next row", run: ({ move }) => move(1) },
    { keys: "Home", what: "the newest operation", run: ({ move }) => move(Number.NEGATIVE_INFINITY) },
    { keys: "End", what: "the oldest operation", run: ({ move }) => move(Number.POSITIVE_INFINITY) },
    { keys: "Enter", what: "show the graph after this operation", run: ({ show }) => show() },
  ],
};

async function revert({ operation, words }: OperationRow): Promise<void> {
  const yes = await confirm({
    title: "Undo this operation?",
    action: "Undo",
    body: (
      <>
        <p className="text-text">
          {actorName(operation.actor)} {words}.
        </p>
        <p className="mt-1">
          Only this operation is undone. Later operations are kept. The undo is a new operation, which you can
          undo too.
        </p>
      </>
    ),
  });
  if (yes) await attempt("The operation was not undone", () => undoOperation(operation.id, words));
}

/** Shows the graph as an operation left it, where a run that is shown went on at the time. */
function useMoments(): ((operation: Operation) => (() => void) | null) & { readonly shownAt: number | null } {
  const { view, at } = useReplay();
  const run = useHost((state) => state.run);
  return useMemo(() => {
    const showOf = ({ time }: Operation): (() => void) | null => {
      if (view) return time >= view.from && time <= view.to ? () => seek(time) : null;
      if (!run || time < run.startedAt || (run.endedAt !== null && time > run.endedAt)) return null;
      return () => void lookBack(run.id, time);
    };
    return Object.assign(showOf, { shownAt: view ? at : null });
  }, [view, at, run]);
}

interface ListProps {
  readonly rows: readonly OperationRow[];
  readonly subjects: Subjects;
}

interface Line extends OperationRow {
  /** One of a group that is open. */
  readonly isPart: boolean;
}

export function OperationList({ rows, subjects }: ListProps) {
  const [active, setActive] = useState<string | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => linesOf(rows, open, subjects), [rows, open, subjects]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const showOf = useMoments();
  const shown =
    showOf.shownAt === null
      ? -1
      : lines.findIndex(({ operation }) => operation.time <= (showOf.shownAt ?? 0));
  const at = Math.max(
    0,
    lines.findIndex((line) => keyOf(line) === active),
  );
  const focus = useFocus(scroller, active);
  const move = (by: number): void => {
    const next = Math.min(lines.length - 1, Math.max(0, at + by));
    const line = lines[next];
    if (!line) return;
    virtual.scrollToIndex(next);
    setActive(keyOf(line));
    focus();
  };
  const choose = (line: Line): void => {
    setActive(keyOf(line));
    if (line.all.length > 1) setOpen(toggled(open, line.operation.id));
    else selectSubject(line.operation, subjects);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-y-auto"
      onKeyDown={(event) => {
        const show = (): boolean => {
          const line = lines[at];
          // A button beside the row has its own Enter.
          if (!line || !(event.target as HTMLElement).matches("[data-line]")) return false;
          (showOf(line.operation) ?? (() => choose(line)))();
          return true;
        };
        takeKey(operationKeys, event, { move, show });
      }}
    >
      <ol aria-label="Operations" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const line = lines[index];
          if (!line) return null;
          return (
            <OperationLine
              key={keyOf(line)}
              name={keyOf(line)}
              line={line}
              top={start}
              isActive={index === at}
              isChosen={keyOf(line) === active}
              isShown={index === shown}
              isOpen={line.all.length > 1 ? open.has(line.operation.id) : null}
              onChoose={() => choose(line)}
              onShow={showOf(line.operation)}
              onUndo={line.all.length > 1 || showOf.shownAt !== null ? null : () => void revert(line)}
            />
          );
        })}
      </ol>
    </div>
  );
}

const rowHeight = 28;

interface LineProps {
  /** By which it is found, to have the focus. */
  readonly name: string;
  readonly line: OperationRow & { readonly isPart: boolean };
  readonly top: number;
  /** The one that Tab leads to. */
  readonly isActive: boolean;
  /** Somebody has chosen it. */
  readonly isChosen: boolean;
  /** The graph is shown as it was after it. */
  readonly isShown: boolean;
  /** Of a group; null: it is none. */
  readonly isOpen: boolean | null;
  readonly onChoose: () => void;
  /** Null: that moment cannot be shown. */
  readonly onShow: (() => void) | null;
  readonly onUndo: (() => void) | null;
}

const maxRawOperations = 12;

/** One operation, or a group of them, with what can be done about it beside it. */
function OperationLine(props: LineProps) {
  const { name, line, top, isActive, isChosen, isShown, isOpen, onChoose, onShow } = props;
  const { operation, actor, words, all, isPart } = line;
  const tab = isActive ? 0 : -1;
  const raw = all.slice(0, maxRawOperations).map(({ description }) => shownLine(description));
  return (
    <li
      className={cx(
        "group absolute inset-x-0 flex items-center pr-3 hover:bg-hover",
        isChosen && "bg-hover",
        isShown && "shadow-[inset_2px_0_0_var(--accent)]",
      )}
      style={{ height: rowHeight, transform: `translateY(${top}px)` }}
    >
      <button
        type="button"
        data-line={name}
        tabIndex={tab}
        aria-current={isShown ? "step" : undefined}
        {...(isOpen === null ? { "aria-pressed": isChosen } : { "aria-expanded": isOpen })}
        onClick={onChoose}
        onDoubleClick={onShow ?? undefined}
        title={raw.join("\n")}
        className={cx(
          "flex h-full min-w-0 flex-1 items-center gap-2.5 pl-3 text-left focus-visible:outline-offset-[-2px]",
          isPart && "pl-8",
        )}
      >
        {actor === null ? <span className="w-[18px] shrink-0" /> : <Avatar name={actor} />}
        <span className="w-24 shrink-0 truncate text-muted">
          {actor === null ? "several" : actorName(actor)}
        </span>
        <span className={cx("min-w-0 truncate", isOpen !== null && "text-muted")}>{words}</span>
        {isOpen !== null && (
          <ChevronRight
            size={13}
            aria-hidden
            className={cx("shrink-0 text-faint transition-transform", isOpen && "rotate-90")}
          />
        )}
        {operation.snapshot && isOpen === null && <Badge>snapshot</Badge>}
        {isShown && <Badge tone="info">shown</Badge>}
      </button>
      <LineActions {...props} />
      <span className="w-16 shrink-0 pl-2 text-right font-mono text-xs text-faint">
        {operation.id.slice(0, 8)}
      </span>
      <RelativeTime at={operation.time} className="w-10 shrink-0 text-right text-sm text-faint" />
    </li>
  );
}

/** Seen under the pointer, with the focus in the row, and on the one that is chosen. */
function LineActions({ line: { operation }, isActive, isChosen, onShow, onUndo }: LineProps) {
  const tab = isActive ? 0 : -1;
  return (
    <span
      className={cx(
        "flex shrink-0 items-center pl-2",
        !isChosen && "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100",
      )}
    >
      {onShow && (
        <IconButton
          label="Show this moment"
          keys="Enter"
          tabIndex={tab}
          icon={<History size={13} />}
          onClick={onShow}
          className="size-6"
        />
      )}
      <IconButton
        label="Restore everything to this moment…"
        tabIndex={tab}
        icon={<RotateCcw size={13} />}
        onClick={() => openRestore(operation.id)}
        className="size-6"
      />
      {onUndo && (
        <IconButton
          label="Undo this operation"
          tabIndex={tab}
          icon={<Undo2 size={13} />}
          onClick={onUndo}
          className="size-6"
        />
      )}
    </span>
  );
}

const keyOf = ({ operation, isPart }: Line): string => `${isPart ? "part " : ""}${operation.id}`;

const toggled = (open: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  new Set(open.has(id) ? [...open].filter((one) => one !== id) : [...open, id]);

const linesOf = (
  rows: readonly OperationRow[],
  open: ReadonlySet<string>,
  subjects: Subjects,
): readonly Line[] =>
  rows.flatMap((row): readonly Line[] => [
    { ...row, isPart: false },
    ...(row.all.length > 1 && open.has(row.operation.id)
      ? row.all.flatMap((one) => operationRows([one], subjects)).map((part) => ({ ...part, isPart: true }))
      : []),
  ]);

/** Selects the change that the operation was about, if it is still on the graph. */
function selectSubject(operation: Operation, subjects: Subjects): void {
  const { graph } = useGraph.getState();
  const found = commitsNamed([operation])
    .map((commit) => subjects[commit]?.changeId)
    .find((id) => graph && id !== undefined && changeOfKey(graph, id));
  if (found !== undefined) lookAt(found);
}

/** Moves the focus to the row that is active, once that is drawn. */
function useFocus(scroller: React.RefObject<HTMLDivElement | null>, active: string | null): () => void {
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isAsked.current || active === null) return;
    isAsked.current = false;
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-line="${CSS.escape(active)}"]`)?.focus(),
    );
  }, [active, scroller]);
  return () => {
    isAsked.current = true;
  };
}
