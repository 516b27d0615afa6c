/** Whether one validator or a panel judges a run's result: what the user chooses at its start, and when panel settings count. */
import type { Plan } from "../plan/plan.ts";
import type { StageMode } from "../workflow/workflow.ts";
import { approvalsNeeded } from "./quorum.ts";

/** What the user may choose when a run starts; without a choice the plan and the result decide. */
export const validatorChoices = ["one", "panel"] as const;
export type ValidatorChoice = (typeof validatorChoices)[number];

/** The plan with the user's choice about the panel, which its card may still change. */
export const withValidators = (plan: Plan, choice: ValidatorChoice | undefined): Plan =>
  choice === undefined
    ? plan
    : {
        ...plan,
        workflow: {
          ...plan.workflow,
          panel: {
            mode: choice === "panel" ? "on" : "off",
            reason: "You chose it at the start.",
            by: "user",
          },
        },
      };

/** The settings that decide who judges. */
export interface PanelRules {
  /** `workflow.panel`. */
  readonly mode: StageMode;
  /** `run.quick`. */
  readonly isQuick: boolean;
  /** `validation.validator_count`. */
  readonly count: number;
  /** `validation.consensus_threshold`. */
  readonly threshold: number | null;
}

/** When a panel judges, as three sentences at most. */
export interface PanelUse {
  readonly text: string;
  /** When `validation.strategy`, `validator_count` and `consensus_threshold` have no effect; null: they always count. */
  readonly unused: string | null;
  readonly remedy: string | null;
}

/** Says when a panel judges by these settings, and when its own settings have no effect. (HOX-7.3) */
export function panelUse({ mode, isQuick, count, threshold }: PanelRules): PanelUse {
  const judges = `A panel of ${count} (${approvalsNeeded(count, threshold)} must approve)`;
  const always = 'Set workflow.panel = "on" for every run, or use `hox run --validators panel` for one run.';
  if (count === 1)
    return {
      text: "There is no panel: validation.validator_count is 1.",
      unused: "With one validator, validation.strategy and consensus_threshold have no effect.",
      remedy: "Set validation.validator_count = 4 for a panel.",
    };
  if (mode === "on") return { text: `${judges} judges every result.`, unused: null, remedy: null };
  if (isQuick && mode === "auto")
    return {
      text: "Runs are quick (run.quick): no votes on the result.",
      unused: `Without votes, ${panelKeys} have no effect.`,
      remedy: always,
    };
  return {
    text: `${judges} judges ${mode === "off" ? "a result that was rejected before" : "a large or risky result"}.`,
    unused: `One validator judges any other result. Then ${panelKeys} have no effect.`,
    remedy: always,
  };
}

const panelKeys = "validation.strategy, validator_count and consensus_threshold";
