import type { InboxKind, ItemOf } from "#shared/contract/cards.ts";
import { AmendmentCard } from "./amendment-card.tsx";
import { AttemptsCard } from "./attempts-card.tsx";
import { BudgetCard } from "./budget-card.tsx";
import { DependencyCard } from "./dependency-card.tsx";
import { DepthCard } from "./depth-card.tsx";
import { FirstLookCard } from "./first-look-card.tsx";
import { FoldCard } from "./fold-card.tsx";
import { LandCard } from "./land-card.tsx";
import { MutationCard } from "./mutation-card.tsx";
import { PatternCard } from "./pattern-card.tsx";
import { PlanCard } from "./plan-card.tsx";
import { ProtectedCard } from "./protected-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { SandboxCard } from "./sandbox-card.tsx";
import { SuggestionCard } from "./suggestion-card.tsx";
import { TroubleCard } from "./trouble-card.tsx";
import { VotesCard } from "./votes-card.tsx";

export interface CardBodyProps<Item> {
  readonly item: Item;
  /** Whether it has the room of a large dialog. */
  readonly isWide?: boolean;
}

export interface CardBody<Item> {
  Body(props: CardBodyProps<Item>): React.ReactNode;
}

/** What each kind of card shows when it is open. */
export const cardBodies: { readonly [Kind in InboxKind]: CardBody<ItemOf<Kind>>["Body"] } = {
  plan: PlanCard,
  depth: DepthCard,
  amendment: AmendmentCard,
  "align-request": QuestionCard,
  mutation: MutationCard,
  budget: BudgetCard,
  votes: VotesCard,
  fold: FoldCard,
  attempts: AttemptsCard,
  pattern: PatternCard,
  land: LandCard,
  protected: ProtectedCard,
  dependency: DependencyCard,
  "first-look": FirstLookCard,
  sandbox: SandboxCard,
  suggestion: SuggestionCard,
  trouble: TroubleCard,
};
