import { Popover } from "@base-ui/react/popover";
import type { RunView } from "#shared/contract/views/run.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { dollars, tokens } from "../../kit/amounts.ts";
import { cx } from "../../kit/class-names.ts";
import { useHost, usePartOfHost } from "../../state/host-store.ts";
import { Spending } from "./spending.tsx";

type WholeBudget = Omit<RunView["budget"], "byWorker" | "history">;

const wholeOf = ({ limitTokens, limitMicroDollars, spent, state }: WholeBudget): WholeBudget => ({
  limitTokens,
  limitMicroDollars,
  spent,
  state,
});

/** How much of its limit the run has used, 0 to 1; of several limits the nearest to its end. */
function usedShare(budget: WholeBudget): number | null {
  const shares: number[] = [];
  if (budget.limitMicroDollars) shares.push(budget.spent.microDollars / budget.limitMicroDollars);
  if (budget.limitTokens) shares.push(totalTokens(budget.spent.usage) / budget.limitTokens);
  return shares.length === 0 ? null : Math.min(1, Math.max(...shares));
}

/** Money spent beside its limit, always in sight; opens the whole account. */
export function BudgetMeter() {
  // The account of every worker changes oftener than what is shown of the whole.
  const budget = usePartOfHost(({ run }) => run && wholeOf(run.budget));
  if (budget === null) return null;
  const share = usedShare(budget);
  return (
    <Popover.Root>
      <Popover.Trigger className="inline-flex h-7 shrink-0 items-center gap-2 rounded-md px-2 text-sm tabular-nums hover:bg-hover">
        <span className="sr-only">
          {`Budget: ${dollars(budget.spent.microDollars)} spent${budget.limitMicroDollars ? ` of ${dollars(budget.limitMicroDollars)}` : ""}`}
        </span>
        <span
          aria-hidden
          className={cx(
            "font-medium",
            budget.state === "exhausted" && "text-danger",
            budget.state === "warning" && "text-warning",
          )}
        >
          {dollars(budget.spent.microDollars)}
        </span>
        {budget.limitMicroDollars !== null && (
          <span aria-hidden className="text-faint max-[1100px]:hidden">
            / {dollars(budget.limitMicroDollars)}
          </span>
        )}
        {budget.limitMicroDollars === null && budget.limitTokens !== null && (
          <span className="text-faint max-[1100px]:hidden">
            {tokens(totalTokens(budget.spent.usage))} / {tokens(budget.limitTokens)}
          </span>
        )}
        {share !== null && (
          <span
            className="h-1.5 w-16 overflow-hidden rounded-full bg-line-strong max-[1100px]:hidden"
            aria-hidden
          >
            <span
              className={cx(
                "block h-full origin-left rounded-full",
                budget.state === "exhausted"
                  ? "bg-danger"
                  : budget.state === "warning"
                    ? "bg-warning"
                    : "bg-accent",
              )}
              style={{ transform: `scaleX(${share})` }}
            />
          </span>
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-40">
          <Popover.Popup className="appear max-h-[min(560px,var(--available-height))] w-[420px] max-w-[calc(100vw-16px)] overflow-y-auto rounded-lg border bg-raised p-4 shadow-pop outline-none">
            <Popover.Title className="mb-2 text-lg font-semibold">Spending</Popover.Title>
            <WholeAccount />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function WholeAccount() {
  const run = useHost((state) => state.run);
  return run && <Spending run={run} />;
}
