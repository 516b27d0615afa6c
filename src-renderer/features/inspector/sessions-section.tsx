import { SquareTerminal } from "lucide-react";
import type { SessionView } from "#shared/contract/views/session.ts";
import { sessionKindNames } from "#shared/domain/sessions/outside-session.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { Badge } from "../../kit/badge.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { TodoCount, TodoList } from "../../kit/todo-list.tsx";

/** Agents of the person's own that work in the repository. What they say is shown as their words, with where it stands. */
export function SessionsSection({ sessions }: { readonly sessions: readonly SessionView[] }) {
  if (sessions.length === 0) return null;
  return (
    <section aria-label="Outside Hox">
      <h3 className="mb-1.5 text-sm font-medium text-muted">Outside Hox</h3>
      <ul className="flex flex-col gap-1">
        {sessions.map((session) => (
          <SessionRow key={session.name} session={session} />
        ))}
      </ul>
    </section>
  );
}

function SessionRow({ session }: { readonly session: SessionView }) {
  const { name, kind, goal, plan, todos, files, isWorking, lastActivityAt, folder, source } = session;
  const more = todos.length > 0 || files.length > 0 || plan !== null;
  const line = (
    <span className="flex min-h-10 min-w-0 flex-1 items-center gap-2.5 px-1.5 text-left">
      <SquareTerminal size={16} className="mx-[3px] shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5">
          <span className="shrink-0 font-medium">{sessionKindNames[kind]}</span>
          <span className="min-w-0 truncate text-sm text-muted" title={shownText(goal)}>
            {shownText(goal) || "working here"}
          </span>
        </span>
        <span className="flex items-center gap-1.5 text-xs text-faint">
          <code className="truncate font-mono" title={`${shownText(folder)}\nfrom ${shownText(source)}`}>
            {name}
          </code>
          <RelativeTime at={lastActivityAt} className="shrink-0" />
          {isWorking && <Badge tone="info">working</Badge>}
        </span>
      </span>
      <TodoCount todos={todos} />
    </span>
  );
  return (
    <li data-session={name}>
      {more ? (
        <details className="rounded-md">
          <summary className="flex cursor-default list-none rounded-md hover:bg-hover">{line}</summary>
          <div className="flex flex-col gap-2 py-1.5 pr-2 pl-[38px] text-sm">
            {todos.length > 0 && <TodoList todos={todos} />}
            {files.length > 0 && (
              <p className="text-muted">
                Its last turn changed{" "}
                <span className="font-mono text-xs break-words" data-selectable>
                  {files.map(shownText).join(", ")}
                </span>
              </p>
            )}
            <p className="text-xs break-all text-faint" data-selectable>
              {plan === null ? "" : `Plan: ${shownText(plan)} · `}From {shownText(source)}
            </p>
          </div>
        </details>
      ) : (
        line
      )}
    </li>
  );
}
