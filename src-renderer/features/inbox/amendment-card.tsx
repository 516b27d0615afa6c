import type { ItemOf } from "#shared/contract/cards.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { CardFrame } from "./card-frame.tsx";

/** An orchestrator wants more tasks in its plan while it is carried out. */
export function AmendmentCard({ item }: { readonly item: ItemOf<"amendment"> }) {
  const { tasks } = item;
  return (
    <CardFrame
      item={item}
      approve={{
        label: tasks.length === 1 ? "Add task" : "Add tasks",
        decision: () => ({ kind: "approve" }),
      }}
      reject={{ label: "Reject", reason: "What should be done instead?" }}
    >
      <p className="whitespace-pre-wrap text-muted">{item.reason}</p>
      {item.problems.map((problem) => (
        <p key={problem} className="text-warning">
          {problem}
        </p>
      ))}
      <ul className="flex flex-col gap-1.5">
        {tasks.map((task) => (
          <li key={task.id} className="rounded-md border bg-surface px-2.5 py-2">
            <p className="font-medium">{task.title}</p>
            <p className="text-sm text-faint">
              {task.delegate ? "led by its own orchestrator" : "an agent"}, phase {task.phase}
              {task.after.length > 0 && `, after ${task.after.join(", ")}`}
            </p>
            <p className="text-sm whitespace-pre-wrap text-muted">{task.description}</p>
            {task.files.length > 0 && (
              <p className="font-mono text-sm break-all text-muted">{task.files.map(shownName).join(" ")}</p>
            )}
          </li>
        ))}
      </ul>
    </CardFrame>
  );
}
