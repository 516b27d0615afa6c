/** Seats whose holders say what a test has them say, without a wire: for what must hold of very many panels. */

import { type Panel, panelFor } from "#shared/domain/validation/panel.ts";
import type { Conversation, TurnEnd } from "../../agent/agent-interface.ts";
import { localCheckout } from "../../engine/workspaces/local-checkout.ts";
import type { ValidationOptions } from "../validation-interface.ts";

/** What one who holds a seat comes to. `late` says yes when its time is over; `forged` votes on another commit. */
export type SeatAnswer =
  | "approve"
  | "reject"
  | "abstain"
  | "forged"
  | "nonsense"
  | "silent"
  | "refused"
  | "failed"
  | "late";

/** One who was asked to hold a seat, and all that it was told. */
interface AskedSeat {
  readonly seat: string;
  readonly replacement: number;
  readonly prompt: string;
}

const judgedCommit = "0123456789abcdef0123456789abcdef01234567";

export interface ScriptedSeats {
  readonly options: ValidationOptions;
  readonly asked: readonly AskedSeat[];
}

/**
 * @param answerOf of the seat's first holder, and of its replacements
 * @param more what differs from a small validation without checks
 */
export function scriptedSeats(
  answerOf: (seat: string, replacement: number) => SeatAnswer,
  { seats, ...more }: Partial<ValidationOptions> & { readonly seats: number },
): ScriptedSeats {
  const asked: AskedSeat[] = [];
  const checkout = localCheckout(
    {
      config: { protectedFiles: [] },
      repository: { root: "/nowhere" },
      sandbox: () => Promise.reject(new Error("Nobody runs anything here.")),
    },
    "/nowhere",
  );
  const commit = more.commit ?? judgedCommit;
  const options: ValidationOptions = {
    ...{ panel: dedicatedPanel(seats), threshold: null },
    ...{ commit, run: "run-1", attempt: 1, now: () => 1, seatTimeoutMs: 60_000, commandTimeoutSeconds: 120 },
    evidence: { goal: "Answer", plan: null, diff: "", decisions: [], abandoned: [], summaries: {} },
    async converse(seat, key, { system }) {
      const replacement = Number(key.split("/").at(-1));
      return {
        isResumed: false,
        conversation: scripted(answerOf(seat, replacement), commit, `${seat}/${replacement}`, (prompt) =>
          asked.push({ seat, replacement, prompt: `${system}\n${prompt}` }),
        ),
      };
    },
    checkout: async () => ({ ...checkout, remove: async () => undefined }),
    runChecks: async () => [],
    tell: () => undefined,
    onVote: () => undefined,
    signal: new AbortController().signal,
    ...more,
  };
  return { options, asked };
}

/** A separate judge for each seat. */
export const dedicatedPanel = (seats: number): Panel =>
  panelFor({
    ...{ strategy: "dedicated_validators", seats, models: [] },
    ...{ hasDecisions: false, authors: [], earlierRuns: 0 },
  });

/** Words by which a reason would be found in somebody else's prompt. */
export const secretOf = (holder: string): string => `secret-of-${holder}`;

const scripted = (
  answer: SeatAnswer,
  commit: string,
  holder: string,
  onPrompt: (prompt: string) => void,
): Conversation => ({
  token: { driver: "scripted", parts: [] },
  readFiles: () => new Map(),
  fork() {
    throw new Error("Nobody forks a seat.");
  },
  gate: () => null,
  async run(prompt, signal) {
    onPrompt(prompt ?? "");
    if (answer === "late" && !signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    return endOf(answer, commit, holder);
  },
});

function endOf(answer: SeatAnswer, commit: string, holder: string): TurnEnd {
  const vote = (value: unknown): TurnEnd => ({
    ...{ kind: "signal", callId: "1", text: "" },
    signal: { kind: "structured", name: "cast_vote", value },
  });
  const reason = secretOf(holder);
  switch (answer) {
    case "approve":
    case "reject":
    case "abstain":
      return vote({ vote: answer, commit, reason });
    case "late":
      return vote({ vote: "approve", commit, reason });
    case "forged":
      return vote({ vote: "approve", commit: "fedcba9876543210", reason });
    case "nonsense":
      return vote({ vote: "yes, yes, yes" });
    case "silent":
      return { kind: "ended", text: reason };
    case "refused":
      return { kind: "refused", text: reason };
    case "failed":
      return { kind: "failed", error: new Error(reason) };
  }
}
