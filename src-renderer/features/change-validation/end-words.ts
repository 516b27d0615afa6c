import type { JudgingEnd } from "#shared/contract/views/change-validation.ts";

/** Why something that asks judges did not come to its end, and what to do. */
export function formatJudgingEnd(end: Exclude<JudgingEnd, { kind: "done" }>): string {
  switch (end.kind) {
    case "cancelled":
      return "Cancelled. No result was kept.";
    case "budget":
      return "The budget is used up. Raise [budget] max_usd in .hox/config.toml, or the default in the settings.";
    case "failed":
      return `${end.message} ${end.remedy}`;
  }
}
