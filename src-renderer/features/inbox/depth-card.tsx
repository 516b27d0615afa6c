import type { ItemOf } from "#shared/contract/cards.ts";
import { CardFrame } from "./card-frame.tsx";

/** A plan wants orchestrators on one more level than may be made by themselves. */
export function DepthCard({ item }: { readonly item: ItemOf<"depth"> }) {
  return (
    <CardFrame
      item={item}
      approve={{ label: `Allow level ${item.level}`, decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Agents only", reason: "What should change in the plan?" }}
    >
      <p className="text-muted">
        {item.from} wants to delegate {item.tasks.length === 1 ? "a task" : `${item.tasks.length} tasks`} to
        orchestrators on level {item.level}.{" "}
        {item.allowed === 1 ? "One level is" : `${item.allowed} levels are`} allowed without approval. Each
        delegated task costs an additional plan, contracts and integration.
      </p>
      {item.reason !== "" && <p className="whitespace-pre-wrap text-muted">{item.reason}</p>}
      <ul className="flex flex-col gap-1.5">
        {item.tasks.map((task) => (
          <li key={task.title} className="rounded-md border bg-surface px-2.5 py-2">
            <p className="font-medium">{task.title}</p>
            <p className="text-sm whitespace-pre-wrap text-muted">{task.description}</p>
          </li>
        ))}
      </ul>
    </CardFrame>
  );
}
