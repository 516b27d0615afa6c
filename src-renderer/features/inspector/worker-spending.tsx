import type { WorkerView } from "#shared/contract/views/worker.ts";
import { fullPercent } from "#shared/domain/spending/budget.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { dollars, tokens } from "../../kit/amounts.ts";

export function WorkerSpending({ worker }: { readonly worker: WorkerView }) {
  const share = worker.contextWindow > 0 ? worker.contextTokens / worker.contextWindow : 0;
  const full = fullPercent(worker.contextTokens, worker.contextWindow) !== null;
  const { usage } = worker.spent;
  const rows: readonly (readonly [string, string])[] = [
    ["Dollars", dollars(worker.spent.microDollars)],
    ["Requests", String(worker.spent.requests)],
    ["Tokens", tokens(totalTokens(usage))],
    ["Input", tokens(usage.input)],
    ["Written to cache", tokens(usage.cacheWrite5m + usage.cacheWrite1h)],
    ["Read from cache", tokens(usage.cacheRead)],
    ["Output", tokens(usage.output)],
  ];
  return (
    <section aria-label="Spending" className="flex flex-col gap-4">
      <h3 className="-mb-3 text-sm font-medium text-muted">Spending</h3>
      <dl className="grid grid-cols-[1fr_auto] gap-y-1 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <div>
        <p className="mb-1 flex justify-between text-sm">
          <span className="text-muted">Context in use</span>
          <span className={full ? "text-warning" : undefined}>
            {tokens(worker.contextTokens)} of {tokens(worker.contextWindow)}
          </span>
        </p>
        {/* biome-ignore lint/a11y/useSemanticElements: the meter element cannot be drawn as the other bars are */}
        <div
          className="h-1.5 overflow-hidden rounded-full bg-line-strong"
          role="meter"
          aria-label="Context in use"
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <div
            className={full ? "h-full origin-left bg-warning" : "h-full origin-left bg-accent"}
            style={{ transform: `scaleX(${Math.min(1, share)})` }}
          />
        </div>
        {full && (
          <p className="mt-1 text-sm text-warning">
            Over 60 % of the window. The next iteration starts with a fresh context.
          </p>
        )}
      </div>
    </section>
  );
}
