import type { WorkerView } from "#shared/contract/views/run.ts";
import { type Todo, todoProgress } from "#shared/domain/orientation/todo-events.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { cx } from "./class-names.ts";
import { StatusIcon } from "./status-icon.tsx";

/** How far a list of steps is, in as little room as there is: "2/5". Nothing where there is no list. */
export function TodoCount({
  todos,
  className,
}: {
  readonly todos: readonly Todo[];
  readonly className?: string;
}) {
  const progress = todoProgress(todos);
  if (progress === null) return null;
  const words = `${progress.completed} of ${progress.all} steps${progress.active === null ? "" : `: ${shownText(progress.active)}`}`;
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      className={cx("shrink-0 text-xs text-faint tabular-nums", className)}
    >
      {progress.completed}/{progress.all}
    </span>
  );
}

/**
 * What a worker does, as its steps say it: "2 of 5 · Writing the view". Where it waits for something, that is said: it does
 * nothing meanwhile.
 */
export function formatProgress({
  todos,
  activity,
  state,
  status,
}: Pick<WorkerView, "todos" | "activity" | "state" | "status">): string {
  const progress = status === "done" ? null : todoProgress(todos);
  if (progress === null) return activity;
  const isAtIt = state === "thinking" || state === "tools";
  const doing = isAtIt && progress.active !== null ? shownText(progress.active) : activity;
  return [`${progress.completed} of ${progress.all}`, doing].filter((part) => part !== "").join(" · ");
}

const icons = { pending: "open", in_progress: "in_progress", completed: "done" } as const;

/** The steps of a list, with how far each is. Words of others. */
export function TodoList({ todos }: { readonly todos: readonly Todo[] }) {
  return (
    <ol className="flex flex-col gap-1">
      {todos.map(({ content, status, activeForm }, place) => (
        <li
          // The same step may be said twice.
          key={`${content} ${todos.slice(0, place).filter((one) => one.content === content).length}`}
          data-todo={status}
          className="flex items-start gap-2 text-sm"
        >
          <span className="mt-[3px]">
            <StatusIcon status={icons[status]} size={13} />
          </span>
          <span
            className={cx(
              "min-w-0 flex-1 break-words",
              status === "in_progress" ? "font-medium" : "text-muted",
              status === "completed" && "line-through decoration-line-strong",
            )}
            data-selectable
          >
            {shownText(status === "in_progress" ? activeForm : content)}
          </span>
        </li>
      ))}
    </ol>
  );
}
