import type { CheckResult, HookEvent, HookResult } from "#shared/domain/conversation/conversation.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { shortened } from "#shared/domain/text/format-text.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { ToolSignal } from "../tools/tool-interface.ts";
import type { CheckRunner, Conversation, TurnEnd } from "./agent-interface.ts";
import { type HookContext, type PostToolsHook, runHooks } from "./user-hooks.ts";

type Question = Extract<ToolSignal, { kind: "align-request" }>;

/** What one agent's loop needs from the engine; it knows neither jj nor the journal. */
export interface LoopOptions {
  readonly maxIterations: number;
  /** Runs a command where the agent works, for its hooks. */
  readonly run: HookContext["run"];
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds that never jump. Default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Resumes inside an iteration after a restart, a pause or an answer; omitted: begins at iteration 1. */
  readonly resume?: {
    readonly iteration: number;
    /** Null resumes without a message; otherwise the answer or decision that the agent waited for. */
    readonly prompt: PromptText | null;
  };
  buildPrompt(facts: PromptFacts): Promise<PromptText>;
  /** A fresh conversation for an iteration, or the stored one of the iteration that is resumed. */
  conversation(iteration: number, resumed: boolean): Conversation | Promise<Conversation>;
  /**
   * Saves the work (a snapshot of the workspace), and says whether its files changed since the last time. Fails closed:
   * what it throws ends the loop.
   */
  afterTools(iteration: number): Promise<boolean>;
  /**
   * Run in order after the work is saved; a failure is reported and never stops the loop. Their changes to
   * files are checked and judged like all other work, and are saved with the report. Requested each time they
   * are due. (PLAN-3)
   */
  hooks?(): Promise<readonly PostToolsHook[]>;
  readonly checks: CheckRunner;
  /** A non-blocking question: reported, and the agent continues. */
  onQuestion?(question: Question): Promise<void>;
  /** Rebases finished work onto its current base before the checks. Fails closed. */
  catchUp?(): Promise<void>;
  /** Why finished work may not count as done yet (behind its parent, in conflict), or null. */
  refuseDone?(): Promise<string | null>;
  /** After every iteration, before the next: must be durable when it returns. */
  onIteration(report: IterationReport): Promise<void>;
}

export interface PromptFacts {
  readonly iteration: number;
  /** Checks that failed at the end of the iteration before. */
  readonly failures: readonly CheckResult[];
  /** Why the iteration before did not count, in words for the agent. */
  readonly notes: readonly string[];
}

export interface IterationReport {
  readonly iteration: number;
  readonly end: TurnEnd["kind"];
  /** What the iteration ended with, when it ended with a word to the engine. */
  readonly signal: ToolSignal | null;
  readonly decision: "done" | "again" | "ask" | "blocked";
  readonly checks: readonly CheckResult[];
  readonly notes: readonly string[];
  readonly hooks: readonly HookResult[];
  readonly ms: {
    readonly save: number;
    readonly hooks: number;
    readonly checks: number;
  };
}

export type LoopEnd =
  | {
      readonly kind: "done";
      readonly summary: string;
      readonly iteration: number;
      readonly checks: readonly CheckResult[];
    }
  | { readonly kind: "ask"; readonly question: Question; readonly iteration: number }
  /** For a package that it asked for. */
  | { readonly kind: "wait"; readonly iteration: number }
  | { readonly kind: "blocked"; readonly reason: string; readonly iteration: number }
  | { readonly kind: "gate"; readonly gate: "pause" | "budget"; readonly iteration: number }
  | {
      readonly kind: "iteration-limit";
      readonly iteration: number;
      readonly failures: readonly CheckResult[];
    }
  | { readonly kind: "aborted"; readonly iteration: number }
  | { readonly kind: "failed"; readonly error: Error; readonly iteration: number };

/** The iterations of one agent, each in a fresh context, until its work is done, waits or is stopped. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  let { resume } = options;
  let failures: readonly CheckResult[] = [];
  let notes: readonly string[] = [];
  let streak: Streak = { refusals: 0, loops: 0 };

  for (let iteration = resume?.iteration ?? 1; iteration <= options.maxIterations; iteration++) {
    // Build the prompt first: the base may move meanwhile, and the conversation must start on the final one.
    const prompt = resume ? resume.prompt : await options.buildPrompt({ iteration, failures, notes });
    const conversation = await options.conversation(iteration, resume !== undefined);
    resume = undefined;

    const times = { save: 0, hooks: 0, checks: 0 };
    const end = await converse(conversation, prompt, options);
    // Saved first, whatever happened: a stop or a spent budget must not cost work.
    await timed(options, times, "save", () => options.afterTools(iteration));

    const cutShort = endWithoutWord(end, iteration);
    if (cutShort) return cutShort;

    const current: Iteration = { iteration, end, times, hooks: [] };
    const isTouched = await followWithHooks(options, current, "iteration");
    streak = streakAfter(streak, end);
    const word = wordToEngine(end, streak, iteration);
    if (word) {
      await report(options, current, word);
      return word.end;
    }
    const verdict = await judgeWork(options, current, isTouched);
    if (verdict === null) return { kind: "aborted", iteration };
    const { checks } = verdict;
    if (verdict.isDone && end.kind === "signal" && end.signal.kind === "done") {
      await report(options, current, { decision: "done", checks, notes: [] });
      return { kind: "done", summary: end.signal.summary, iteration, checks };
    }
    failures = verdict.failures;
    notes = verdict.refused
      ? [`Your work cannot count as done yet: ${verdict.refused}`]
      : notesFor(end, failures);
    await report(options, current, { decision: "again", checks, notes });
  }
  return { kind: "iteration-limit", iteration: options.maxIterations, failures };
}

/** A model that refuses the same task twice running will refuse it again. */
const refusalsBeforeBlocked = 2;
/** One that goes round in circles may see its way with a fresh context, but not for ever. */
const loopsBeforeBlocked = 3;

/** The loop's end when the conversation was ended from outside: nothing is judged or reported. */
function endWithoutWord(end: TurnEnd, iteration: number): LoopEnd | null {
  if (end.kind === "gate") return { kind: "gate", gate: end.gate, iteration };
  if (end.kind === "aborted") return { kind: "aborted", iteration };
  if (end.kind === "failed") return { kind: "failed", error: end.error, iteration };
  return null;
}

/** How many iterations running ended in that way. */
interface Streak {
  readonly refusals: number;
  readonly loops: number;
}

const streakAfter = ({ refusals, loops }: Streak, end: TurnEnd): Streak => ({
  refusals: end.kind === "refused" ? refusals + 1 : 0,
  loops: end.kind === "loop" ? loops + 1 : 0,
});

interface WordToEngine extends Pick<IterationReport, "decision" | "checks" | "notes"> {
  readonly end: LoopEnd;
}

/** What ends the loop before its work is judged: the agent asks, waits or is blocked. */
function wordToEngine(end: TurnEnd, streak: Streak, iteration: number): WordToEngine | null {
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
    return blocked(`It repeated the same calls in ${streak.loops} iterations. Hox warned it: ${end.calls}`);
  return null;
}

/** Maximum length of an agent's last message, in characters. */
const maxExcerptLength = 2_000;

/** Why an iteration did not count, for the prompt of the next. */
function notesFor(end: TurnEnd, failures: readonly CheckResult[]): readonly string[] {
  switch (end.kind) {
    case "ended":
      return [
        "You stopped without calling report_done. Call it when the task is complete and the checks pass.",
      ];
    case "turn-limit":
      return ["The iteration ended because it took too many turns. Continue from the state of the files."];
    case "loop":
      return [`The iteration was ended, because it led nowhere. ${end.calls}`];
    case "cut":
      return end.reason === "max_tokens"
        ? [
            "Your last answer was cut because it was too long. None of its calls ran. Write large files in several steps.",
          ]
        : ["The conversation filled the model's window. Continue from the state of the files."];
    case "context-share":
      return [
        `Your conversation filled ${end.percent} % of the model's window, so this one starts empty. Your work is saved: continue from the state of the files and your list of steps.`,
        ...(end.text === "" ? [] : [`Your last message was: ${shortened(end.text, maxExcerptLength)}`]),
      ];
    case "refused":
      return ["The model refused to continue the previous conversation."];
    case "signal":
      return failures.length > 0 && end.signal.kind === "done"
        ? ["You reported done, but the checks failed, so it does not count."]
        : [];
    case "gate":
    case "aborted":
    case "failed":
      return [];
  }
}

/** State of an iteration whose conversation has ended. */
interface Iteration {
  readonly iteration: number;
  readonly end: TurnEnd;
  readonly times: Times;
  readonly hooks: HookResult[];
}

type Times = { -readonly [Part in keyof IterationReport["ms"]]: number };

async function timed<Result>(
  { monotonic = () => performance.now() }: Pick<LoopOptions, "monotonic">,
  times: Times,
  part: keyof Times,
  work: () => Promise<Result>,
): Promise<Result> {
  const begun = monotonic();
  const result = await work();
  times[part] += monotonic() - begun;
  return result;
}

/** @returns whether there was any hook */
async function followWithHooks(options: LoopOptions, current: Iteration, on: HookEvent): Promise<boolean> {
  const { run, signal } = options;
  const { iteration, hooks } = current;
  const results = await timed(options, current.times, "hooks", async () =>
    runHooks((await options.hooks?.()) ?? [], on, { run, iteration, signal }),
  );
  hooks.push(...results);
  return results.length > 0;
}

const report = (
  options: LoopOptions,
  { iteration, end, hooks, times }: Iteration,
  { decision, checks, notes }: Pick<IterationReport, "decision" | "checks" | "notes">,
): Promise<void> =>
  options.onIteration({
    iteration,
    end: end.kind,
    signal: end.kind === "signal" ? end.signal : null,
    decision,
    checks,
    notes,
    hooks,
    ms: rounded(times),
  });

interface Verdict {
  readonly checks: readonly CheckResult[];
  readonly failures: readonly CheckResult[];
  /** Why work whose checks pass may not count as done yet. */
  readonly refused: string | null;
  readonly isDone: boolean;
}

/**
 * Judges an iteration's result as its last hooks left it.
 *
 * @param isTouched whether hooks may have changed files since the work was saved
 * @returns null if stopped meanwhile
 */
async function judgeWork(
  options: LoopOptions,
  current: Iteration,
  isTouched: boolean,
): Promise<Verdict | null> {
  const { signal } = options;
  const { iteration, end } = current;
  const claimsDone = end.kind === "signal" && end.signal.kind === "done";
  if (claimsDone) await options.catchUp?.();
  // What is judged as done has to be saved as it is.
  if (claimsDone && isTouched) await options.afterTools(iteration);
  const verdict = await judgeOnce(options, current, claimsDone);
  if (signal.aborted) return null;
  if (!verdict.isDone || !(await followWithHooks(options, current, "task-done"))) return verdict;
  if (!(await options.afterTools(iteration))) return verdict;
  const after = await judgeOnce(options, current, claimsDone);
  return signal.aborted ? null : after;
}

async function judgeOnce(
  options: LoopOptions,
  { iteration, times }: Iteration,
  claimsDone: boolean,
): Promise<Verdict> {
  const { environment, signal } = options;
  const checks = await timed(options, times, "checks", () =>
    options.checks.run({ environment, signal, iteration, all: claimsDone }),
  );
  const failures = checks.filter(isBlocking);
  if (!claimsDone || failures.length > 0 || signal.aborted)
    return { checks, failures, refused: null, isDone: false };
  const refused = (await options.refuseDone?.()) ?? null;
  return { checks, failures, refused, isDone: !refused };
}

/** Questions that do not block are passed on, and the conversation continues. */
async function converse(
  conversation: Conversation,
  prompt: PromptText | null,
  options: LoopOptions,
): Promise<TurnEnd> {
  let end = await conversation.run(prompt, options.signal);
  while (end.kind === "signal" && end.signal.kind === "align-request" && !end.signal.blocking) {
    await options.onQuestion?.(end.signal);
    end = await conversation.run(null, options.signal);
  }
  return end;
}

const rounded = (times: IterationReport["ms"]): IterationReport["ms"] => ({
  save: Math.round(times.save),
  hooks: Math.round(times.hooks),
  checks: Math.round(times.checks),
});
