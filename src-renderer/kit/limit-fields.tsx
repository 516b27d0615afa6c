import { useState } from "react";
import { parseDollars, parseTokens } from "./amounts.ts";
import { Field, TextInput } from "./field.tsx";

export interface LimitsTyped {
  /** What was typed as limits; null while one of them is not an amount. */
  readonly limits: { readonly tokens: number | null; readonly microDollars: number | null } | null;
  readonly fields: React.ReactNode;
}

interface LimitsBefore {
  readonly tokens: number | null;
  readonly microDollars: number | null;
}

/** Two fields for the limits of a budget, in dollars and in tokens; an empty one is no limit. */
export function useLimitFields({ tokens, microDollars }: LimitsBefore): LimitsTyped {
  const [money, setMoney] = useState(microDollars === null ? "" : String(microDollars / 1_000_000));
  const [count, setCount] = useState(tokens === null ? "" : String(tokens));
  const typedMoney = parseDollars(money);
  const typedCount = parseTokens(count);
  return {
    limits:
      typedMoney === undefined || typedCount === undefined
        ? null
        : { tokens: typedCount, microDollars: typedMoney },
    fields: (
      <>
        <Field
          label="Cost limit ($)"
          hint="Leave empty for no limit"
          error={typedMoney === undefined ? "An amount such as 5 or 2.50" : null}
        >
          <TextInput inputMode="decimal" value={money} onChange={(event) => setMoney(event.target.value)} />
        </Field>
        <Field
          label="Token limit"
          hint="Leave empty for no limit"
          error={typedCount === undefined ? "A count such as 200k" : null}
        >
          <TextInput value={count} onChange={(event) => setCount(event.target.value)} />
        </Field>
      </>
    ),
  };
}
