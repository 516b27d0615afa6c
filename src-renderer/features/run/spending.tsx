import type { RunView } from "#shared/contract/views/run.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/spent-beside.ts";
import { contextTokens, totalTokens } from "#shared/domain/spending/usage.ts";
import { client } from "../../client.ts";
import { dollars, tokens } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { useCountField } from "../../kit/count-field.tsx";
import { useLimitFields } from "../../kit/limit-fields.tsx";
import { WorkerTable } from "../../kit/worker-table.tsx";
import { attempt } from "../../state/notice-store.ts";
import { SpendingChart } from "./spending-chart.tsx";

/** The whole account of a run: the curve, each worker's share as a table, and the limits. */
export function Spending({ run }: { readonly run: RunView }) {
  const { budget } = run;
  // In the order of the run: by dollars they would change places under the pointer.
  const order = new Map(run.workers.map(({ name }, index) => [name, index]));
  const placeOf = (worker: string): number => order.get(worker) ?? order.size;
  const rows = Object.entries(budget.byWorker).sort(([one], [other]) => placeOf(one) - placeOf(other));
  return (
    <div className="flex flex-col gap-3">
      <dl className="grid grid-cols-3 gap-2 text-sm">
        <Figure name="Spent" value={dollars(budget.spent.microDollars)} />
        <Figure name="Tokens" value={tokens(totalTokens(budget.spent.usage))} />
        <Figure
          name="Read from cache"
          value={
            contextTokens(budget.spent.usage) === 0
              ? "–"
              : `${Math.round((100 * budget.spent.usage.cacheRead) / contextTokens(budget.spent.usage))} %`
          }
        />
      </dl>
      <SpendingChart history={budget.history} limitMicroDollars={budget.limitMicroDollars} />
      {run.endedAt === null && <Limits run={run} />}
      {rows.length > 0 && (
        <p className="border-t pt-3 text-sm text-muted">
          {overheadLine(splitSpending(run.workers, budget.byWorker))}
        </p>
      )}
      {rows.length > 0 && (
        <WorkerTable
          figures={["Requests", "Tokens", "Dollars"]}
          rows={rows.map(([worker, spent]) => ({
            worker,
            values: [spent.requests, tokens(totalTokens(spent.usage)), dollars(spent.microDollars)],
          }))}
        />
      )}
    </div>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="rounded-md bg-sunken px-2.5 py-1.5">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="font-medium tabular-nums">{value}</dd>
    </div>
  );
}

/** New limits for the run; they replace the old ones and hold at once. */
function Limits({ run }: { readonly run: RunView }) {
  const { limits, fields } = useLimitFields({
    tokens: run.budget.limitTokens,
    microDollars: run.budget.limitMicroDollars,
  });
  const agents = useCountField({ label: "Agents at once", before: run.maxParallelAgents, most: 64 });
  const tries = useCountField({ label: "Iterations per agent", before: run.maxIterations, most: 1_000 });
  const usable = limits !== null && agents.count !== null && tries.count !== null;
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!usable) return;
        void attempt("The limits were not changed", () =>
          client.run.setLimits({
            ...limits,
            ...(agents.count === run.maxParallelAgents ? {} : { maxParallelAgents: agents.count }),
            ...(tries.count === run.maxIterations ? {} : { maxIterations: tries.count }),
          }),
        );
      }}
    >
      <div className="grid grid-cols-2 items-start gap-2">
        {fields}
        {agents.field}
        {tries.field}
      </div>
      <Button type="submit" className="self-end" disabled={!usable}>
        Set
      </Button>
    </form>
  );
}
