import type { ForkView, WorkerView } from "#shared/contract/views/run.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { duration, tokens } from "../../kit/amounts.ts";

/** How much of a fork's first request came from the provider's cache; null before that was answered. */
export const formatCachedShare = ({ cachedShare }: Pick<ForkView, "cachedShare">): string | null =>
  cachedShare === null ? null : `${Math.floor(cachedShare * 100)} % from cache`;

/** The status of a fork in one word. */
export const forkState = ({ result, isCancelled }: Pick<ForkView, "result" | "isCancelled">): string => {
  if (isCancelled) return "left";
  if (result === null) return "working";
  return result.status === "success" ? "done" : "failed";
};

/** A fork in one line: `clone · done · 97 % from cache · 12k tokens · 4 s`. */
export function forkLine(fork: ForkView, worker: Pick<WorkerView, "activity" | "spent">): string {
  const state = forkState(fork);
  const used = totalTokens(worker.spent.usage);
  return [
    fork.agent,
    state === "working" && worker.activity !== "" ? worker.activity : state,
    formatCachedShare(fork),
    used === 0 ? null : `${tokens(used)} tokens`,
    fork.result === null ? null : duration(fork.result.metadata.latency_ms),
  ]
    .filter((words) => words !== null)
    .join(" · ");
}
