import { ChevronRight, History, RotateCcw, Undo2 } from "lucide-react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { actorName, type OperationRow } from "./operation-words.ts";
import { openRestore } from "./restore-store.ts";

export const rowHeight = 28;

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
  /** Null: nobody can show that moment. */
  readonly onShow: (() => void) | null;
  readonly onUndo: (() => void) | null;
}

const maxRawOperations = 12;

/** One operation, or a group of them, with what can be done about it beside it. */
export function OperationLine(props: LineProps) {
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
