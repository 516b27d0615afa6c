import type { ItemOf } from "#shared/contract/cards.ts";
import { CardFrame } from "./card-frame.tsx";

/** A plan wants orchestrators on one more level than may be made by themselves. */
export function DepthCard({ item }: { readonly item: ItemOf<"depth"> }) {
  return (
    <CardFrame
      item={item}
      approve={{ label: `Allow level ${item.level}`, decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Agents only", reason: "What should the plan look like instead?" }}
    >
      <p className="text-muted">
        {item.from} wants to give {item.tasks.length === 1 ? "a task" : `${item.tasks.length} tasks`} to
        orchestrators of their own on level {item.level}.{" "}
        {item.allowed === 1 ? "One level needs" : `${item.allowed} levels need`} nobody&apos;s yes. Each one
        costs a plan, contracts and an integration more.
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
