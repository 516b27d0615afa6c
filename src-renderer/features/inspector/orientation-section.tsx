import type { WorkerView } from "#shared/contract/views/worker.ts";
import { todoProgress } from "#shared/domain/orientation/todo.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { TodoList } from "../../kit/todo-list.tsx";
import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";

/** Why a worker works on its change: the goal, its step of the plan, what binds it, and the steps that it keeps. */
export function OrientationSection({ worker }: { readonly worker: WorkerView }) {
  const decisions = useHost((state) => state.run?.decisions);
  const { place, todos } = worker;
  if (!place && todos.length === 0) return null;
  const binding = (decisions ?? []).filter(({ changeId }) => place?.decisions.includes(changeId));
  const progress = todoProgress(todos);
  return (
    <section aria-label="Orientation" className="flex flex-col gap-2">
      {place && (
        <dl className="grid grid-cols-[92px_1fr] gap-y-1 text-sm">
          <dt className="text-faint">Goal</dt>
          <dd className="line-clamp-2" title={shownText(place.goal)} data-selectable>
            {shownText(place.goal)}
          </dd>
          {place.step !== null && (
            <>
              <dt className="text-faint">Plan</dt>
              <dd>
                step {place.step} of {place.steps}
              </dd>
            </>
          )}
          {binding.length > 0 && (
            <>
              <dt className="text-faint">Decisions</dt>
              <dd>
                <ul>
                  {binding.map(({ changeId, title }) => (
                    <li key={changeId}>
                      <button
                        type="button"
                        className="max-w-full truncate text-left text-accent-text hover:underline"
                        onClick={() => inspect(changeId)}
                      >
                        {shownText(title)}
                      </button>
                    </li>
                  ))}
                </ul>
              </dd>
            </>
          )}
        </dl>
      )}
      {progress && (
        <div>
          <h3 className="mb-1.5 text-sm font-medium text-muted">
            {worker.status === "done" ? "Steps (last state)" : "Steps"}{" "}
            <span className="font-normal tabular-nums">
              {progress.completed} of {progress.all}
            </span>
          </h3>
          <TodoList todos={todos} />
        </div>
      )}
    </section>
  );
}
