import type { Usage } from "../spending/usage.ts";

/** What the host records and shows of one conversation, in order. Everything textual is untrusted. */
export type ConversationEntry =
  | { readonly kind: "prompt"; readonly text: string; readonly iteration: number }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool-call"; readonly id: string; readonly tool: string; readonly input: unknown }
  | {
      readonly kind: "tool-result";
      readonly id: string;
      readonly tool: string;
      readonly output: string;
      /** Typed reason when the call failed, for instance `protected-file`. */
      readonly error: string | null;
      readonly ms: number;
    }
  | { readonly kind: "usage"; readonly usage: Usage; readonly microDollars: number; readonly model: string }
  | { readonly kind: "retry"; readonly reason: string; readonly attempt: number; readonly waitMs: number }
  | { readonly kind: "notice"; readonly text: string }
  /** The user's side question, and the fork's answer: the worker knows of neither. */
  | {
      readonly kind: "aside";
      readonly question: string;
      readonly answer: string;
      readonly microDollars: number;
    }
  | { readonly kind: "checks"; readonly results: readonly CheckResult[] }
  | { readonly kind: "hooks"; readonly results: readonly HookResult[] };

/** One entry with its place in the conversation and its time (ms since 1970). */
export type ConversationRow = { readonly index: number; readonly at: number } & ConversationEntry;

/**
 * The outcome of one back-pressure command. A time-out, a missing program and a report that says of no test, or not of all,
 * that it ran are failures (PLAN-6). Two outcomes keep no work from counting (`isBlocking`): a `known-failure` failed on the
 * commit that the run builds on, by the same names; `unproven` could not be compared with it, because nothing is known of
 * what failed there. A user says whether what is unproven lands.
 */
export interface CheckResult {
  readonly name: string;
  readonly command: string;
  readonly speed: "fast" | "slow";
  readonly outcome:
    | "passed"
    | "failed"
    | "timed-out"
    | "missing"
    | "could-not-run"
    | "known-failure"
    | "unproven";
  readonly ms: number;
  /** Head and tail of what it printed, secrets redacted. */
  readonly output: string;
  /** Of one that could not run or proves nothing: why, as a sentence. Absent elsewhere. */
  readonly why?: string;
}

/**
 * What a user's hook may follow: every iteration of an agent whose tools have run and whose files are saved; a task that
 * was found done, before that is written down; a run that is complete. (PLAN-3)
 */
export const hookEvents = ["iteration", "task-done", "task-merged", "run-complete"] as const;
export type HookEvent = (typeof hookEvents)[number];

/** The outcome of one of the user's hooks. A failure stops nothing. (PLAN-3) */
export interface HookResult {
  readonly name: string;
  readonly on: HookEvent;
  readonly success: boolean;
  /** What it printed, bounded and with secrets redacted; of a failure also why. */
  readonly message: string;
  readonly ms: number;
}

/** How hard a model shall try, in the provider's words. */
export const efforts = ["low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

/** One answer of the model, with what it called. */
export interface TranscriptTurn {
  readonly iteration: number;
  /** Counted from 1 in its iteration. */
  readonly turn: number;
  /** Index of the row that says what it cost, and of its last one. */
  readonly answered: number;
  readonly row: number;
  /** Ids of its calls. */
  readonly calls: readonly string[];
}

/**
 * The answers of each iteration's last conversation, in order. A restarted iteration has a new conversation,
 * and the old one's turns do not count; neither does an answer that broke off and was retried.
 */
export function turnsOf(rows: readonly ConversationRow[]): readonly TranscriptTurn[] {
  const byIteration = new Map<number, TranscriptTurn[]>();
  let now: TranscriptTurn[] | null = null;
  let iteration = 0;
  for (const row of rows) {
    if (row.kind === "prompt") {
      iteration = row.iteration;
      now = [];
      byIteration.set(iteration, now);
      continue;
    }
    if (now === null) continue;
    const last = now.at(-1);
    if (row.kind === "usage")
      now.push({ iteration, turn: now.length + 1, answered: row.index, row: row.index, calls: [] });
    else if (row.kind === "retry" && last?.calls.length === 0 && last.row === row.index - 1) now.pop();
    else if (last && (row.kind === "tool-call" || row.kind === "tool-result"))
      now[now.length - 1] = {
        ...last,
        row: row.index,
        calls: row.kind === "tool-call" ? [...last.calls, row.id] : last.calls,
      };
  }
  return [...byIteration.entries()].sort(([one], [other]) => one - other).flatMap(([, turns]) => turns);
}

// A model that goes round in circles: the same calls with the same results, over and over. One call, or a round of two or
// three.

/** The longest round that is looked for, in calls. */
const maxRoundLength = 3;
/** Rounds after which the model is warned, and again after as many more. */
const roundsBeforeWord = 3;
/** Calls after which nothing more is tried. */
const callsBeforeEnd = 12;
/** As many as the longest round needs to be seen to its end. */
const kept = callsBeforeEnd + maxRoundLength;

export interface Repetition {
  /** Calls in one round. */
  readonly length: number;
  /** How often the round was gone through, the first time included. */
  readonly rounds: number;
}

interface RepeatedCalls {
  /** Relevant calls made so far; oldest first. */
  readonly made: readonly string[];
}

export const noCallsYet: RepeatedCalls = { made: [] };

/**
 * A key that is equal for equal calls with equal results.
 *
 * @param input as the model gave it, plain JSON
 * @param output its result; numbers in it are ignored, since times and sizes may be the only difference
 */
export const sameCall = (tool: string, input: unknown, output: string): string =>
  JSON.stringify([tool, input, output.replaceAll(/\d+(?:[.,:]\d+)*/gu, "#")]);

/** With one more call, and what is now gone through over and over, if anything; of several rounds the shortest. */
export function withCall(
  { made }: RepeatedCalls,
  call: string,
): { readonly calls: RepeatedCalls; readonly repetition: Repetition | null } {
  const now = [...made, call].slice(-kept);
  for (let length = 1; length <= maxRoundLength; length++) {
    let same = 0;
    while (same + length < now.length && now.at(-1 - same) === now.at(-1 - same - length)) same += 1;
    const rounds = Math.floor((same + length) / length);
    if (rounds >= roundsBeforeWord) return { calls: { made: now }, repetition: { length, rounds } };
  }
  return { calls: { made: now }, repetition: null };
}

/** Whether this many rounds are worth a word to the model: at the end of a round, and not after each. */
export const isWorthWord = ({ rounds }: Repetition): boolean => rounds % roundsBeforeWord === 0;

/** Whether nothing else is to be expected. */
export const isEndless = ({ length, rounds }: Repetition): boolean => length * rounds >= callsBeforeEnd;

/** The warning for the model. */
export const formatRepetition = ({ length, rounds }: Repetition, tools: readonly string[]): string =>
  length === 1
    ? `You have called ${tools[0] ?? "the same tool"} ${rounds} times in a row with the same input, and the result was the same each time. Do something else: read the result, look elsewhere, change the files, ask with align_request, or report that you are blocked.`
    : `You are repeating yourself: the same ${length} calls (${tools.join(", ")}) with the same results, ${rounds} times. Do something else: look elsewhere, change the files, ask with align_request, or report that you are blocked.`;
