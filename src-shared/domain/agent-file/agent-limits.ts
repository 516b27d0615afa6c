/** How long, and for how much, an agent may work. */
import { nearestWord } from "../text/nearest-word.ts";
import type { Notes } from "./agent-notes.ts";
import type { Field } from "./front-matter.ts";
import type { NamedAgent } from "./named-agent.ts";

const noLimits: NamedAgent["limits"] = { maxTurns: null, timeoutSeconds: null, budgetUsd: null };

const limitKeys = ["max_turns", "timeout_seconds", "budget_usd"];

/** What `limits` of our format says. */
export function limitsOf(field: Field | undefined, notes: Notes): NamedAgent["limits"] {
  if (field === undefined) return noLimits;
  const { value, line } = field;
  if (value.kind !== "table") {
    notes.wrong(
      line,
      '"limits" must contain settings.',
      "Add max_turns, timeout_seconds or budget_usd below it, indented.",
    );
    return noLimits;
  }
  for (const { key, line: at } of value.fields)
    if (!limitKeys.includes(key)) {
      const near = nearestWord(key, limitKeys);
      notes.wrong(
        at,
        `"limits.${key}" is not a limit.`,
        near ? `Did you mean ${near}?` : `Use one of ${limitKeys.join(", ")}.`,
      );
    }
  const limit = (key: string, most: number, isWhole: boolean): number | null => {
    const found = value.fields.find((one) => one.key === key);
    return found ? numberIn(found, `limits.${key}`, most, isWhole, notes) : null;
  };
  return {
    maxTurns: limit("max_turns", 1_000, true),
    timeoutSeconds: limit("timeout_seconds", 86_400, true),
    budgetUsd: limit("budget_usd", 100_000, false),
  };
}

/** The same of Claude Code's. */
export const claudeLimits = (field: Field | undefined, notes: Notes): NamedAgent["limits"] =>
  field ? { ...noLimits, maxTurns: numberIn(field, "maxTurns", 1_000, true, notes) } : noLimits;

function numberIn(
  { value, line }: Field,
  name: string,
  most: number,
  isWhole: boolean,
  notes: Notes,
): number | null {
  const number = value.kind === "plain" ? value.value : null;
  if (typeof number === "number" && number > 0 && number <= most && (!isWhole || Number.isInteger(number)))
    return number;
  notes.wrong(
    line,
    `"${name}" must be ${isWhole ? "a whole number" : "an amount"} above 0, up to ${most}.`,
    "Correct or remove it.",
  );
  return null;
}
