import { useId } from "react";
import { decisionKeys } from "#shared/contract/cards/card.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { dollars, tokens } from "../../kit/amounts.ts";
import { useLimitFields } from "../../kit/field.tsx";
import { CardFrame, DecisionButton, useAnswer } from "./card-frame.tsx";

/** The hard stop: what was spent, and either a higher limit or the end. */
export function BudgetCard({ item }: { readonly item: ItemOf<"budget"> }) {
  const form = useId();
  const { isBusy, send } = useAnswer(item);
  const spent = { tokens: totalTokens(item.spent.usage), microDollars: item.spent.microDollars };
  const { limits, fields } = useLimitFields({
    tokens: proposedLimit(item.limitTokens, spent.tokens),
    microDollars: proposedLimit(item.limitMicroDollars, spent.microDollars),
  });
  const tooLow = limits !== null && wouldStopAgain(limits, spent);
  return (
    <CardFrame
      item={item}
      first={
        <DecisionButton
          type="submit"
          form={form}
          look="primary"
          keys={decisionKeys.approve}
          disabled={!limits || tooLow || isBusy}
        >
          Extend and continue
        </DecisionButton>
      }
      reject={
        item.worker === null
          ? {
              label: "Stop the run",
              reason: null,
              confirm: "The work of all agents is saved in the graph. A stopped run cannot be resumed.",
            }
          : { label: "Leave it paused", reason: null }
      }
    >
      <p className="text-muted">
        Spent {dollars(spent.microDollars)}
        {item.limitMicroDollars !== null && ` of ${dollars(item.limitMicroDollars)}`} and{" "}
        {tokens(spent.tokens)}
        {item.limitTokens !== null && ` of ${tokens(item.limitTokens)}`} tokens{item.alsoUnmetered ?? ""}.{" "}
        {item.worker === null
          ? "All work is saved. No requests are sent until you decide."
          : "Its work is saved and it waits for you. Other agents continue."}
      </p>
      <form
        id={form}
        className="grid grid-cols-2 gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (limits && !tooLow) void send({ kind: "extend", ...limits });
        }}
      >
        {fields}
      </form>
      {tooLow && (
        <p className="text-sm text-danger">
          {item.worker ?? "The run"} would stop again immediately: more than this is already spent.
        </p>
      )}
    </CardFrame>
  );
}

interface Amounts<Amount> {
  readonly tokens: Amount;
  readonly microDollars: Amount;
}

/** What is filled in: the limit that was reached, doubled as often as it needs; one that was not stays. */
export function proposedLimit(limit: number | null, spent: number): number | null {
  if (limit === null || spent < limit) return limit;
  return limit * 2 ** Math.max(1, Math.ceil(Math.log2((spent + 1) / Math.max(1, limit))));
}

/** Whether a run with these limits would pause again as soon as it resumes. */
export const wouldStopAgain = (limits: Amounts<number | null>, spent: Amounts<number>): boolean =>
  (limits.tokens !== null && limits.tokens <= spent.tokens) ||
  (limits.microDollars !== null && limits.microDollars <= spent.microDollars);
