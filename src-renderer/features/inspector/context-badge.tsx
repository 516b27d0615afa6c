import type { WorkerView } from "#shared/contract/views/run.ts";
import { fullPercent } from "#shared/domain/spending/budget.ts";
import { Badge } from "../../kit/badge.tsx";

/** Warns from 60 % of the model's window on: above that a conversation gets worse. */
export function ContextBadge({ worker }: { readonly worker: WorkerView }) {
  const percent = fullPercent(worker.contextTokens, worker.contextWindow);
  if (percent === null || worker.state === "done") return null;
  return (
    <Badge tone="warning" title={`${percent} % of the model’s context window in use`}>
      {percent} % context
    </Badge>
  );
}
