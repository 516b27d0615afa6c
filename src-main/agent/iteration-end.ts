/** What the end of an iteration's conversation means for the loop, before its work is judged. */
import type { TurnEnd } from "./agent-interface.ts";
import type { IterationReport, LoopEnd } from "./loop-interface.ts";

/** A model that refuses the same task twice running will refuse it again. */
const refusalsBeforeBlocked = 2;
/** One that goes round in circles may see its way with a fresh context, but not for ever. */
const loopsBeforeBlocked = 3;

/** Ends that somebody else decided: nothing is judged, and nothing reported. */
export function endWithoutWord(end: TurnEnd, iteration: number): LoopEnd | null {
  if (end.kind === "gate") return { kind: "gate", gate: end.gate, iteration };
  if (end.kind === "aborted") return { kind: "aborted", iteration };
  if (end.kind === "failed") return { kind: "failed", error: end.error, iteration };
  return null;
}

/** How many iterations running ended in that way. */
export interface Streak {
  readonly refusals: number;
  readonly loops: number;
}

export const streakAfter = ({ refusals, loops }: Streak, end: TurnEnd): Streak => ({
  refusals: end.kind === "refused" ? refusals + 1 : 0,
  loops: end.kind === "loop" ? loops + 1 : 0,
});

interface WordToEngine extends Pick<IterationReport, "decision" | "checks" | "notes"> {
  readonly end: LoopEnd;
}

/** What ends the loop before its work is judged: the agent asks, waits or is blocked. */
export function wordToEngine(end: TurnEnd, streak: Streak, iteration: number): WordToEngine | null {
  const blocked = (reason: string): WordToEngine => ({
    decision: "blocked",
    checks: [],
    notes: [reason],
    end: { kind: "blocked", reason, iteration },
  });
  const asks = (asked: LoopEnd): WordToEngine => ({ decision: "ask", checks: [], notes: [], end: asked });

  if (end.kind === "signal") {
    const { signal } = end;
    if (signal.kind === "align-request") return asks({ kind: "ask", question: signal, iteration });
    if (signal.kind === "dependency-request") return asks({ kind: "wait", iteration });
    if (signal.kind === "blocked") return blocked(signal.reason);
  }
  if (end.kind === "refused" && streak.refusals >= refusalsBeforeBlocked)
    return blocked(`The model refused the task: ${end.text || "no reason given"}`);
  if (end.kind === "loop" && streak.loops >= loopsBeforeBlocked)
    return blocked(`It repeated the same calls in ${streak.loops} iterations. Hox told it: ${end.calls}`);
  return null;
}
