import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { LineRemark } from "#shared/domain/merge-request/line-remark.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { Panel, SeatView, ValidationView } from "#shared/domain/validation/panel.ts";
import type { Conversation } from "../agent/agent-interface.ts";
import type { CheckoutHandle, FreshCheckout } from "../engine/workspaces/workspace-interface.ts";
import type { RateLimit } from "../model/rate-limit.ts";
import type { Tool } from "../tools/tool-interface.ts";

export interface ValidationOptions {
  /** Full commit id that is judged. A vote for any other commit is void. */
  readonly commit: string;
  readonly run: string;
  /** 1 for the first validation of a run, one more after every repair round. */
  readonly attempt: number;
  /** The judges, one for each of n = 3f + 1 seats. */
  readonly panel: Panel;
  /** Share of the seats that has to approve, where more is asked for than safety needs. */
  readonly threshold: number | null;
  readonly evidence: ValidationEvidence;
  /**
   * Opens a judge's conversation: a new one, or the one that was interrupted in the same work. `key`
   * identifies what the seat was shown and whether it was replaced: only the same is resumed.
   */
  readonly converse: (seat: string, key: string, begin: SeatConversation) => Promise<OpenedSeat>;
  /** Time spent waiting for the provider does not count. */
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
  /** How long one command of a seat may take, unless the seat asks for another time. */
  readonly commandTimeoutSeconds: number;
  /** The project's instructions as a section; empty if there are none. For seats that see the diff. */
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
  /** Agents' reports of what they have done, by worker. */
  readonly summaries: Readonly<Record<string, string>>;
  /** What of the tasks is missing from the commit, a line for each task. Absent where nothing is. */
  readonly missing?: readonly string[];
  /** What each agent that holds a seat is shown, by its name. */
  readonly peers?: Readonly<Record<string, PeerEvidence>>;
  /** What the result is held against, where that is asked for. */
  readonly comparison?: Comparison;
}

/** An agent of the run judges what it did not write: its own work is left out. */
export interface PeerEvidence {
  readonly title: string;
  readonly description: string;
  /** Its report of what it has done. */
  readonly summary: string;
  /** Files that it wrote in, of which it says nothing. */
  readonly ownFiles: readonly string[];
  /** Work of all other agents, each from its own change. */
  readonly works: readonly { readonly by: string; readonly title: string; readonly diff: string }[];
}

/** The result next to earlier results of the same repository. */
export interface Comparison {
  readonly current: Readonly<Record<string, number>>;
  /** Those that are most like it first. */
  readonly earlier: readonly ComparedRun[];
}

export interface ComparedRun {
  readonly run: string;
  readonly goal: string;
  readonly outcome: "complete" | "failed";
  /** Its panel's last verdict, and how many of how many approved. */
  readonly verdict: string;
  readonly figures: Readonly<Record<string, number>>;
  /** What went wrong on the way: checks, rejections, in a line each. */
  readonly failed: readonly string[];
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
  /** What it says of lines, which the reason says too. Absent where that is nothing. */
  readonly lines?: readonly LineRemark[];
  readonly at: number;
  /** 0 for the first holder of the seat, 1 and 2 for its replacements. */
  readonly replacement: number;
  /** The model that judged, if the seat has its own. */
  readonly model?: string;
}

export interface ValidationOutcome {
  /** `verdict` is `open` if `stopped` is set, `undecided` if the user has to decide. */
  readonly view: ValidationView;
  readonly votes: readonly CastVote[];
  readonly stopped: "pause" | "budget" | "aborted" | null;
}
