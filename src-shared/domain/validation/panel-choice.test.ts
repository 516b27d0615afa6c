import { describe, expect, it } from "vitest";
import { quickPlan } from "../plan/plan.ts";
import { type PanelRules, panelUse, withValidators } from "./panel.ts";

describe("panelUse", () => {
  const rules: PanelRules = { mode: "on", isQuick: false, count: 4, threshold: null };
  const keys = "validation.strategy, validator_count and consensus_threshold have no effect.";

  it.each([
    [{}, "A panel of 4 (3 must approve) judges every result.", null],
    [{ isQuick: true }, "A panel of 4 (3 must approve) judges every result.", null],
    [{ count: 7, threshold: 1 }, "A panel of 7 (7 must approve) judges every result.", null],
    [{ mode: "auto" }, "A panel of 4 (3 must approve) judges a large or risky result.", keys],
    [{ mode: "off" }, "A panel of 4 (3 must approve) judges a result that was rejected before.", keys],
    [
      { mode: "off", isQuick: true },
      "A panel of 4 (3 must approve) judges a result that was rejected before.",
      keys,
    ],
    [{ mode: "auto", isQuick: true }, "Runs are quick (run.quick): no votes on the result.", keys],
    [
      { count: 1 },
      "There is no panel: validation.validator_count is 1.",
      "consensus_threshold have no effect.",
    ],
  ] as const)("says when a panel judges, and when its settings do not count: %o", (over, text, unused) => {
    const use = panelUse({ ...rules, ...over });
    expect(use.text).toBe(text);
    if (unused === null) expect(use).toMatchObject({ unused: null, remedy: null });
    else {
      expect(use.unused).toContain(unused);
      expect(use.remedy).toMatch(/^Set /u);
    }
  });
});

describe("withValidators", () => {
  const plan = quickPlan("Write the store", { tokens: null, microDollars: null });

  it("leaves the plan unchanged without a choice", () => {
    expect(withValidators(plan, undefined)).toBe(plan);
  });

  it.each([
    ["one", "off"],
    ["panel", "on"],
  ] as const)("applies %s as the user's choice, and keeps the other stages", (choice, mode) => {
    const { workflow } = withValidators(plan, choice);
    expect(workflow).toEqual({
      ...plan.workflow,
      panel: { mode, by: "user", reason: "You chose it at the start." },
    });
  });
});
