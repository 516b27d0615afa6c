import type { SeatView, ValidationView } from "#shared/contract/views/validation.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { Conversation } from "../agent/agent-interface.ts";
import type { CheckoutHandle, FreshCheckout } from "../engine/workspaces/workspace-interface.ts";
import type { RateLimit } from "../model/rate-limit.ts";
import type { Tool } from "../tools/tool-interface.ts";

/**
 * Judges one commit: deterministic checks first (a failure vetoes), then n blind seats, each with its own evidence,
 * in a fresh checkout of its own. It is `validate` of `validate.ts`. (HOX-7)
 * @throws ModelError where the provider refuses a seat what only a person can mend, and the others decide nothing; what
 *   was voted until then has been told to `onVote`
 */
export type Validate = (options: ValidationOptions) => Promise<ValidationOutcome>;

export interface ValidationOptions {
  /** Full commit id that is judged. A vote for any other commit is void. */
  readonly commit: string;
  readonly run: string;
  /** 1 for the first validation of a run, one more after every repair round. */
  readonly attempt: number;
  /** Number of seats, n = 3f + 1; 4 by default. */
  readonly seats: number;
  readonly evidence: ValidationEvidence;
  /**
   * Opens the conversation of one who holds a seat: another one, or the one that was cut off in the middle of the same
   * work. `key` names what the seat was shown and whether another held it before: only the same goes on.
   */
  readonly converse: (seat: string, key: string, begin: SeatConversation) => Promise<OpenedSeat>;
  /** What everybody waits for at the provider is no time of a seat's. */
  readonly scheduler?: RateLimit | undefined;
  /** Makes a fresh checkout with exactly the files of the commit, never an agent's folder. Called once for the checks and once per seat. */
  readonly checkout: () => Promise<FreshCheckout>;
  /** All of the project's checks, fast and slow, in a fresh checkout. */
  readonly runChecks: (place: CheckoutHandle, signal: AbortSignal) => Promise<readonly CheckResult[]>;
  /** For the transcript of a seat. */
  readonly tell: (seat: string, text: string) => void;
  /** Called when the checks are done and for every vote as it arrives; the engine journals `view` and `votes`. */
  readonly onVote: (view: ValidationView, votes: readonly CastVote[]) => void;
  readonly signal: AbortSignal;
  /** What was journalled before a restart. Votes and checks of another run, attempt, commit or prompt are left out. */
  readonly earlier?: { readonly votes: readonly CastVote[]; readonly checks: readonly CheckResult[] };
  readonly now: () => number;
  /** How long one seat may take, default 10 minutes. Taking longer is no approval. */
  readonly seatTimeoutMs?: number;
  /** What the project tells whoever changes it, as a section; empty when it says nothing. For seats that see the diff. */
  readonly instructions?: PromptText;
  /** Learned patterns of the category validation, as a section; empty when there are none. */
  readonly learned?: PromptText;
}

/** What a seat's conversation is made of; model, budget and journal are the engine's. */
export interface SeatConversation {
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly checkout: FreshCheckout;
}

export interface OpenedSeat {
  readonly conversation: Conversation;
  readonly isResumed: boolean;
}

/** What a seat may be shown. Each seat sees a part, so that seats do not err together for the same reason. */
export interface ValidationEvidence {
  readonly goal: string;
  readonly plan: Plan | null;
  /** Ids of tasks that were abandoned on the way: the result is complete without them. */
  readonly abandoned: readonly string[];
  /** Git-format diff of the whole run: from what the run was built on to the commit. */
  readonly diff: string;
  /** Title and reason of each applied mutation, oldest first. */
  readonly decisions: readonly { readonly title: string; readonly reason: string }[];
  /** What agents said that they had done, by worker. */
  readonly summaries: Readonly<Record<string, string>>;
}

/** One answer of one seat, bound to what it judged. JSON; the engine keeps it in the journal. */
export interface CastVote {
  readonly seat: string;
  readonly run: string;
  readonly attempt: number;
  readonly commit: string;
  /** Of system prompt and prompt: a vote on other evidence does not count. */
  readonly promptHash: string;
  readonly vote: Exclude<SeatView["vote"], "pending">;
  readonly reason: string;
  readonly at: number;
  /** 0 for the first holder of the seat, 1 and 2 for its replacements. */
  readonly replacement: number;
}

export interface ValidationOutcome {
  /** `verdict` is `open` when `stopped` is set, `undecided` when a person has to break it. */
  readonly view: ValidationView;
  readonly votes: readonly CastVote[];
  readonly stopped: "pause" | "budget" | "aborted" | null;
}

/** What a person sees of a rejected or vetoed result, one paragraph per seat or check, for the repair round's prompt. */
export type ExplainVerdict = (view: ValidationView) => string;
