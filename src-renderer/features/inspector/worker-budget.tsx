import type { WorkerView } from "#shared/contract/views/worker.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { dollars } from "../../kit/amounts.ts";
import { cx } from "../../kit/class-names.ts";

/** How much of its own limit a worker has used, 0 to 1, the nearest of several; null without a limit. */
function shareOfLimit({ limitMicroDollars, limitTokens, spent }: WorkerView["budget"]): number | null {
  const shares = [
    ...(limitMicroDollars === null ? [] : [spent.microDollars / limitMicroDollars]),
    ...(limitTokens === null ? [] : [totalTokens(spent.usage) / limitTokens]),
  ];
  return shares.length === 0 ? null : Math.min(1, Math.max(...shares));
}

/** What a worker spent; where it has a limit of its own, what counts against it (everyone below, too) and a bar. */
export function WorkerBudget({ worker }: { readonly worker: WorkerView }) {
  const { budget } = worker;
  const share = shareOfLimit(budget);
  const limit = budget.limitMicroDollars === null ? "" : ` of ${dollars(budget.limitMicroDollars)}`;
  const below = budget.spent.requests > worker.spent.requests ? " including agents below" : "";
  return (
    <span
      className="flex shrink-0 flex-col items-end gap-1 text-xs text-faint tabular-nums"
      title={`${dollars(budget.spent.microDollars)}${limit}${below}`}
    >
      {dollars((share === null ? worker.spent : budget.spent).microDollars)}
      {share !== null && (
        // biome-ignore lint/a11y/useSemanticElements: the meter element cannot be drawn as the other bars are
        <span
          className="h-1 w-10 overflow-hidden rounded-full bg-line-strong"
          role="meter"
          aria-label={`Budget of ${worker.name}`}
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <span
            className={cx(
              "block h-full origin-left",
              budget.state === "ok" ? "bg-accent" : budget.state === "warning" ? "bg-warning" : "bg-danger",
            )}
            style={{ transform: `scaleX(${share})` }}
          />
        </span>
      )}
    </span>
  );
}
