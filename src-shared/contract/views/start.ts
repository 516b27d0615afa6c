import type { Effort } from "../../domain/conversation/effort.ts";
import type { Budget } from "../../domain/spending/budget.ts";
import type { PanelRules, ValidationStrategy, ValidatorChoice } from "../../domain/validation/panel.ts";

/** Roles whose model the user may choose for one run. */
export const startRoles = ["orchestrator", "agent", "integrator", "validator"] as const;
export type StartRole = (typeof startRoles)[number];

export type ModelsByRole = Readonly<Partial<Record<StartRole, string>>>;
export type EffortByRole = Readonly<Partial<Record<StartRole, Effort>>>;

/** The choices for starting a run, and their defaults. */
export interface StartChoicesView {
  readonly limits: Budget;
  /** Of each agent on its task, as configured. */
  readonly maxIterations: number;
  readonly isQuick: boolean;
  /** Who judges a result, as configured. */
  readonly panel: Omit<PanelRules, "isQuick"> & {
    readonly strategy: ValidationStrategy;
    /** `validation.models`: validators take them in turn; empty: all use the validator's model. */
    readonly models: readonly string[];
  };
  /** As configured, for each role. */
  readonly models: Readonly<Record<StartRole, string>>;
  readonly efforts: Readonly<Record<StartRole, Effort | null>>;
  /** Models with a known price; others cannot be paid for. */
  readonly known: readonly { readonly name: string; readonly hasEffort: boolean }[];
  /** What the last run of this repository was started with; null where there was none. */
  readonly last: {
    readonly isQuick: boolean;
    readonly attempts: number;
    readonly validators?: ValidatorChoice | undefined;
    readonly models: ModelsByRole;
    readonly efforts: EffortByRole;
    readonly limits: Budget;
  } | null;
  readonly untrusted: readonly UntrustedSetting[];
}

/** A setting of the repository that is not in force, because it loosens a limit and the user has not trusted it. */
export interface UntrustedSetting {
  /** As in `gates.land`. */
  readonly key: string;
  /** Key and value as they are shown and trusted: another value is another text, and is asked about again. */
  readonly text: string;
  /** What it would allow, as a sentence. */
  readonly allows: string;
  /** The user has seen it, and does not want to be asked again. */
  readonly isIgnored: boolean;
}

/** Whether a model answers to the key that is in use. */
export interface ModelCheckView {
  readonly outcome: "ok" | "refused" | "unreachable";
  readonly words: string;
  readonly remedy: string | null;
}

export interface GoalTemplateView {
  readonly name: string;
  readonly text: string;
}
