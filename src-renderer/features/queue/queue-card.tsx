import { GripVertical, Hand, LoaderCircle } from "lucide-react";
import type { ComponentProps } from "react";
import type { Change } from "#shared/graph/change.ts";
import { AttemptBadge } from "../../kit/attempt-badge.tsx";
import { Avatar } from "../../kit/avatar.tsx";
import { cx } from "../../kit/class-names.ts";
import { StatusIcon } from "../../kit/status-icon.tsx";
import { TodoCount } from "../../kit/todo-list.tsx";
import { useAttemptBadge } from "../../state/attempts-store.ts";
import { keyOf, subjectOf } from "../../state/graph-store.ts";
import { useWorkerOf } from "../../state/host-store.ts";
import { inspect, useSelection } from "../../state/selection-store.ts";
import { CommentCount } from "../archangel/comment-count.tsx";
import { useIsMoving } from "./queue-store.ts";

interface QueueCardProps extends ComponentProps<"button"> {
  readonly task: Change;
  readonly dragged: boolean;
}

/** One task of the queue. */
export function QueueCard({ task, dragged, className, ...rest }: QueueCardProps) {
  const worker = useWorkerOf(task.changeId);
  const key = keyOf(task);
  const selected = useSelection((state) => state.selected === key);
  const attempt = useAttemptBadge(worker?.name ?? null);
  const isMoving = useIsMoving(task.changeId);
  const { status, agent } = task.metadata;
  const who = worker?.name ?? agent;
  const conflict = worker ? worker.conflict !== "none" : task.conflict;
  return (
    <button
      type="button"
      data-queue-card
      data-change-id={task.changeId}
      aria-current={selected || undefined}
      {...rest}
      onClick={() => inspect(key)}
      className={cx(
        "group flex h-8 w-full touch-none items-center gap-1.5 rounded-md pr-2 pl-0.5 text-left",
        selected ? "bg-selected" : "hover:bg-hover",
        dragged && "opacity-35",
        className,
      )}
    >
      <GripVertical size={12} className="shrink-0 text-faint opacity-0 group-hover:opacity-100" aria-hidden />
      <StatusIcon status={status ?? "open"} />
      <span dir="auto" title={subjectOf(task)} className="min-w-0 flex-1 truncate">
        {subjectOf(task) || <em className="text-faint">no description</em>}
      </span>
      {worker && status !== "done" && <TodoCount todos={worker.todos} />}
      <CommentCount changeId={task.changeId} />
      {isMoving && (
        <LoaderCircle
          size={12}
          className="breathe shrink-0 text-muted"
          role="img"
          aria-label="saving the new position"
        />
      )}
      {attempt && <AttemptBadge {...attempt} />}
      {conflict && (
        <span
          className="size-2 shrink-0 rounded-full bg-danger"
          role="img"
          aria-label="in conflict"
          title="in conflict"
        />
      )}
      {worker?.byHand && (
        <Hand size={13} className="shrink-0 text-info" role="img" aria-label="assigned to you" />
      )}
      {who && <Avatar name={who} {...(worker ? { state: worker.state } : {})} />}
    </button>
  );
}
