import type { LandingHistory } from "../domain/landing-text.ts";
import type { Plan } from "../domain/plan.ts";
import type { QuestionCard } from "./cards/align-request.ts";
import type { AmendmentCard } from "./cards/amendment.ts";
import type { BudgetCard } from "./cards/budget.ts";
import type { DependencyCard } from "./cards/dependency.ts";
import type { DepthCard } from "./cards/depth.ts";
import type { FirstLookCard } from "./cards/first-look.ts";
import type { FoldCard } from "./cards/fold.ts";
import type { LandCard } from "./cards/land.ts";
import type { MutationCard } from "./cards/mutation.ts";
import type { PatternCard } from "./cards/pattern.ts";
import type { PlanCard } from "./cards/plan.ts";
import type { ProtectedCard } from "./cards/protected.ts";
import type { SandboxCard } from "./cards/sandbox.ts";
import type { TroubleCard } from "./cards/trouble.ts";
import type { VotesCard } from "./cards/votes.ts";

/** One decision that waits for a person. One card, one decision, the evidence beside it. */
export type InboxItem =
  | PlanCard
  | DepthCard
  | AmendmentCard
  | QuestionCard
  | MutationCard
  | BudgetCard
  | VotesCard
  | FoldCard
  | PatternCard
  | LandCard
  | ProtectedCard
  | DependencyCard
  | FirstLookCard
  | SandboxCard
  | TroubleCard;

export type InboxKind = InboxItem["kind"];

/** What a person may answer; checked by the host against the item's kind. */
export type CardAnswer =
  | {
      readonly kind: "approve" /** An edited plan, or the bookmark to land on. */;
      readonly plan?: Plan;
      readonly bookmark?: string;
      /** The checks of the first look are written to `.hox/config.toml`. */
      readonly writeChecks?: boolean;
      /** What lands, where it is not what the card says. */
      readonly history?: LandingHistory;
      /** Of a dependency: what is not asked about again, this package in this run, or what the rule on the card says. */
      readonly remember?: "run" | "rule";
    }
  /** Checks of the first look that do not run, by command. */
  | {
      readonly kind: "leave-out";
      readonly commands: readonly string[];
      readonly writeChecks?: boolean | undefined;
    }
  /** Commands that check the work, in place of those that were found. */
  | {
      readonly kind: "use-checks";
      readonly fast: readonly string[];
      readonly slow: readonly string[];
      readonly writeChecks?: boolean | undefined;
    }
  | { readonly kind: "reject"; readonly reason: string }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "extend"; readonly tokens: number | null; readonly microDollars: number | null }
  /** `words` go to the agent whose trouble it is, with its next prompt. */
  | { readonly kind: "retry"; readonly words?: string | undefined }
  /** Its agent waits until it is resumed. */
  | { readonly kind: "hold" }
  /** Gives up the task whose work is in question. */
  | { readonly kind: "abandon" };
