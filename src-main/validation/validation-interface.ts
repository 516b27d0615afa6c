import type { SeatView, ValidationView } from "#shared/contract/views/validation.ts";
import type { CheckResult, ConversationEntry } from "#shared/domain/conversation.ts";
import type { Plan } from "#shared/domain/plan.ts";
import type { PromptText } from "#shared/domain/prompt-text.ts";
import type { Spent, Usage } from "#shared/domain/usage.ts";
import type { ConversationOptions } from "../agent/agent-interface.ts";
import type { ModelDriver, ModelMessage } from "../model/driver-interface.ts";
import type { Sandbox } from "../tools/tool-interface.ts";

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
  readonly driver: ModelDriver;
  readonly model: string;
  readonly sandbox: Sandbox;
  /** Hides what no judge may be told: the key in use, and the secrets of the environment. */
  readonly redact: (text: string) => string;
  /** Makes a fresh folder with exactly the files of the commit, never an agent's folder. Called once for the checks and once per seat. */
  readonly checkout: (commit: string) => Promise<Checkout>;
  /** All of the project's checks, fast and slow, in a fresh checkout. */
  readonly runChecks: (folder: string, signal: AbortSignal) => Promise<readonly CheckResult[]>;
  /** Asked before every request of every seat. */
  readonly gate: () => "pause" | "budget" | null;
  /** Micro-dollars of one request. */
  readonly price: (usage: Usage, model: string) => number;
  /** Called once per paid request; must be durable when it returns. `seat` is `validator-1` and so on. */
  readonly onSpent: (seat: string, spent: Spent, model: string) => void;
  readonly onEntry: (seat: string, entry: ConversationEntry) => void;
  /** Called when the checks are done and for every vote as it arrives; the engine journals `view` and `votes`. */
  readonly onVote: (view: ValidationView, votes: readonly CastVote[]) => void;
  readonly signal: AbortSignal;
  /** What was journalled before a restart. Votes and checks of another run, attempt, commit or prompt are left out. */
  readonly earlier?: { readonly votes: readonly CastVote[]; readonly checks: readonly CheckResult[] };
  /**
   * The messages of a seat that was in the middle of its work when the process ended, and where they are kept from now
   * on. `key` names what the seat was shown and whether another held it before: only the same goes on.
   */
  readonly openConversation?: (
    seat: string,
    key: string,
  ) => Pick<ConversationOptions, "onTurn"> & { readonly history: readonly ModelMessage[] };
  readonly now: () => number;
  /** How long one seat may take, default 10 minutes. Taking longer is no approval. */
  readonly seatTimeoutMs?: number;
  readonly maxTokens?: number;
  readonly effort?: ConversationOptions["effort"];
  readonly compactAt?: number;
  readonly maxTurns?: number;
  /** What the project tells whoever changes it, as a section; empty when it says nothing. For seats that see the diff. */
  readonly instructions?: PromptText;
  /** Learned patterns of the category validation, as a section; empty when there are none. */
  readonly learned?: PromptText;
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

export interface Checkout {
  readonly folder: string;
  remove(): Promise<void>;
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
