import type { RunView } from "#shared/contract/views.ts";
import { contextTokens, totalTokens } from "#shared/domain/usage.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { attempt } from "../../state/notice-store.ts";
import { dollars, tokens } from "./amounts.ts";
import { useLimitFields } from "./limit-fields.tsx";
import { SpendingChart } from "./spending-chart.tsx";

/** The whole account of a run: the curve, each worker's share as a table, and a higher limit. */
export function Spending({ run }: { readonly run: RunView }) {
  const { budget } = run;
  const rows = Object.entries(budget.byWorker).sort(([, a], [, b]) => b.microDollars - a.microDollars);
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
      {rows.length > 0 && (
        <table className="w-full text-sm">
          <thead>
            <tr className="text-left text-faint">
              <th className="py-1 font-normal">Worker</th>
              <th className="py-1 text-right font-normal">Requests</th>
              <th className="py-1 text-right font-normal">Tokens</th>
              <th className="py-1 text-right font-normal">Dollars</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([worker, spent]) => (
              <tr key={worker} className="border-t tabular-nums">
                <td className="py-1">{worker}</td>
                <td className="py-1 text-right">{spent.requests}</td>
                <td className="py-1 text-right">{tokens(totalTokens(spent.usage))}</td>
                <td className="py-1 text-right">{dollars(spent.microDollars)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {run.endedAt === null && <Extend run={run} />}
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

/** New limits for the run; they replace the old ones. */
function Extend({ run }: { readonly run: RunView }) {
  const { limits, fields } = useLimitFields({
    tokens: run.budget.limitTokens,
    microDollars: run.budget.limitMicroDollars,
  });
  return (
    <form
      className="grid grid-cols-[1fr_1fr_auto] items-start gap-2 border-t pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (limits) void attempt("The budget was not changed", () => client.run.extendBudget(limits));
      }}
    >
      {fields}
      <Button type="submit" className="mt-[22px]" disabled={!limits}>
        Set
      </Button>
    </form>
  );
}
