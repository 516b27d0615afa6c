import type { Gate } from "#shared/contract/cards/gates.ts";
import type { ValidatorChoice } from "#shared/domain/validation/panel-choice.ts";
import type { CommonOptions } from "./command-line.ts";

/** What `hox run` may be given. */
export interface RunOptions extends CommonOptions {
  readonly goal?: string;
  readonly again?: boolean;
  /** Number of an idea, as `hox ideas` counts. */
  readonly idea?: number;
  readonly orchestrators?: number;
  /** Of each task, side by side. */
  readonly attempts?: number;
  /** One agent without plan and votes; left out: as configured. */
  readonly quick?: boolean;
  /** Who judges the result; left out: the plan, the result and the configuration decide. */
  readonly validators?: ValidatorChoice;
  readonly maxTokens?: number | "none";
  /** Micro-dollars. */
  readonly maxBudgetUsd?: number | "none";
  /** Of each agent on its task, before the user is asked. */
  readonly maxIterations?: number;
  readonly onto?: string;
  readonly model?: string;
  readonly rehearsal?: string;
  readonly approve?: readonly Gate[];
  readonly takeOver?: boolean;
  readonly pace?: number;
  /** Archangels review sessions outside Hox; nothing is planned. */
  readonly watch?: boolean;
}
