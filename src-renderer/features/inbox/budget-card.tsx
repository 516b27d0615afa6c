import { useId, useState } from "react";
import { decisionKeys } from "#shared/contract/cards/card.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { dollars, tokens } from "../../kit/amounts.ts";
import { Button } from "../../kit/button.tsx";
import { useLimitFields } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { answer } from "../../state/answer.ts";
import { CardFrame } from "./card-frame.tsx";

/** The hard stop: what was spent, and either a higher limit or the end. */
export function BudgetCard({ item }: { readonly item: ItemOf<"budget"> }) {
  const form = useId();
  const [busy, setBusy] = useState(false);
  const spent = { tokens: totalTokens(item.spent.usage), microDollars: item.spent.microDollars };
  const { limits, fields } = useLimitFields({
    tokens: proposedLimit(item.limitTokens, spent.tokens),
    microDollars: proposedLimit(item.limitMicroDollars, spent.microDollars),
  });
  const tooLow = limits !== null && wouldStopAgain(limits, spent);
  const extend = async (): Promise<void> => {
    if (!limits || tooLow || busy) return;
    setBusy(true);
    await answer(item, { kind: "extend", ...limits });
    setBusy(false);
  };
  return (
    <CardFrame
      item={item}
      first={
        <Button
          type="submit"
          form={form}
          look="primary"
          data-decision-key={decisionKeys.approve}
          disabled={!limits || tooLow || busy}
        >
          Extend and continue
          <Keys keys={decisionKeys.approve} isOnAccent />
        </Button>
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
        {item.limitTokens !== null && ` of ${tokens(item.limitTokens)}`} tokens.{" "}
        {item.worker === null
          ? "All work is saved. No requests are sent until you decide."
          : "Its work is saved and it waits for you. Other agents continue."}
      </p>
      <form
        id={form}
        className="grid grid-cols-2 gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void extend();
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
