import type { CheckResult, HookEvent, HookResult } from "#shared/domain/conversation/conversation.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { ToolSignal } from "../tools/tool-interface.ts";
import type { CheckRunner, Conversation, TurnEnd } from "./agent-interface.ts";
import { type HookContext, type PostToolsHook, runHooks } from "./post-tools-hooks.ts";

type Question = Extract<ToolSignal, { kind: "align-request" }>;

/** What one agent's loop needs from the engine; it knows neither jj nor the journal. */
export interface LoopOptions {
  readonly maxIterations: number;
  /** Runs a command where the agent works, for its hooks. */
  readonly run: HookContext["run"];
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Goes on inside an iteration after a restart, a pause or an answer; left out: begins at iteration 1. */
  readonly resume?: {
    readonly iteration: number;
    /** Null goes on without a word; else the answer or the decision that the agent waited for. */
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
   * After the work is saved, in order: a failure is reported and never stops the loop. What they change in the files is
   * checked and judged like all other work, and is saved by whoever takes the report. Asked for whenever they are due.
   * (PLAN-3)
   */
  hooks?(): Promise<readonly PostToolsHook[]>;
  readonly checks: CheckRunner;
  /** A question that does not block: told, and the agent works on. */
  onQuestion?(question: Question): Promise<void>;
  /** Brings finished work up to what it has to stand on, before its checks judge it. Fails closed. */
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
    readonly model: number;
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

/** A model that refuses the same task twice running will refuse it again. */
const refusalsBeforeBlocked = 2;
/** One that goes round in circles may see its way with a fresh context, but not for ever. */
const loopsBeforeBlocked = 3;

/** The iterations of one agent, each in a fresh context, until its work is done, waits, or may not go on. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const { run, environment, signal } = options;
  let { resume } = options;
  let failures: readonly CheckResult[] = [];
  let notes: readonly string[] = [];
  let refusals = 0;
  let loops = 0;

  for (let iteration = resume?.iteration ?? 1; iteration <= options.maxIterations; iteration++) {
    // The prompt first: what it stands on may move while it is built, and the conversation is begun on that.
    const prompt = resume ? resume.prompt : await options.buildPrompt({ iteration, failures, notes });
    const conversation = await options.conversation(iteration, resume !== undefined);
    resume = undefined;

    const times = { model: performance.now(), save: 0, hooks: 0, checks: 0 };
    const end = await converse(conversation, prompt, options);
    times.model = performance.now() - times.model;

    // Saved first, whatever happened: a stop or a spent budget must not cost work.
    times.save = performance.now();
    await options.afterTools(iteration);
    times.save = performance.now() - times.save;

    if (end.kind === "gate") return { kind: "gate", gate: end.gate, iteration };
    if (end.kind === "aborted") return { kind: "aborted", iteration };
    if (end.kind === "failed") return { kind: "failed", error: end.error, iteration };

    const hooks: HookResult[] = [];
    const follow = async (on: HookEvent): Promise<boolean> => {
      const begun = performance.now();
      const before = hooks.length;
      hooks.push(...(await runHooks((await options.hooks?.()) ?? [], on, { run, iteration, signal })));
      times.hooks += performance.now() - begun;
      return hooks.length > before;
    };
    const touched = await follow("iteration");

    const report = (
      decision: IterationReport["decision"],
      checks: readonly CheckResult[],
      said: readonly string[],
    ): Promise<void> =>
      options.onIteration({
        iteration,
        end: end.kind,
        signal: end.kind === "signal" ? end.signal : null,
        decision,
        checks,
        notes: said,
        hooks,
        ms: rounded(times),
      });

    if (end.kind === "signal" && end.signal.kind === "align-request") {
      await report("ask", [], []);
      return { kind: "ask", question: end.signal, iteration };
    }
    if (end.kind === "signal" && end.signal.kind === "dependency-request") {
      await report("ask", [], []);
      return { kind: "wait", iteration };
    }
    if (end.kind === "signal" && end.signal.kind === "blocked") {
      await report("blocked", [], [end.signal.reason]);
      return { kind: "blocked", reason: end.signal.reason, iteration };
    }
    refusals = end.kind === "refused" ? refusals + 1 : 0;
    if (end.kind === "refused" && refusals >= refusalsBeforeBlocked) {
      const reason = `The model refused the task: ${end.text || "it gave no reason"}`;
      await report("blocked", [], [reason]);
      return { kind: "blocked", reason, iteration };
    }

    loops = end.kind === "loop" ? loops + 1 : 0;
    if (end.kind === "loop" && loops >= loopsBeforeBlocked) {
      const reason = `It goes round in circles, ${loops} iterations running. It was told: ${end.calls}`;
      await report("blocked", [], [reason]);
      return { kind: "blocked", reason, iteration };
    }

    const claimsDone = end.kind === "signal" && end.signal.kind === "done";
    if (claimsDone) await options.catchUp?.();
    // What is judged as done has to be saved as it is.
    if (claimsDone && touched) await options.afterTools(iteration);
    let checks: readonly CheckResult[] = [];
    let refused: string | null | undefined;
    const judge = async (): Promise<boolean> => {
      const begun = performance.now();
      checks = await options.checks.run({ environment, signal, iteration, all: claimsDone });
      times.checks += performance.now() - begun;
      failures = checks.filter(isBlocking);
      if (!claimsDone || failures.length > 0 || signal.aborted) return false;
      refused = await options.refuseDone?.();
      return !refused;
    };
    let isDone = await judge();
    if (signal.aborted) return { kind: "aborted", iteration };
    if (isDone && (await follow("task-done")) && (await options.afterTools(iteration))) {
      isDone = await judge();
      if (signal.aborted) return { kind: "aborted", iteration };
    }
    if (isDone && end.kind === "signal" && end.signal.kind === "done") {
      await report("done", checks, []);
      return { kind: "done", summary: end.signal.summary, iteration, checks };
    }
    notes = refused ? [`Your work cannot count as done yet: ${refused}`] : notesFor(end, failures);
    await report("again", checks, notes);
  }
  return { kind: "iteration-limit", iteration: options.maxIterations, failures };
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

function notesFor(end: TurnEnd, failures: readonly CheckResult[]): readonly string[] {
  switch (end.kind) {
    case "ended":
      return [
        "You stopped without calling report_done. Call it when the task is complete and the checks pass.",
      ];
    case "turn-limit":
      return ["The iteration ended because it took too many turns. Go on from the state of the files."];
    case "loop":
      return [`The iteration was ended, because it led nowhere. ${end.calls}`];
    case "cut":
      return end.reason === "max_tokens"
        ? [
            "Your last answer was cut because it was too long. Nothing of it ran. Write large files in several steps.",
          ]
        : ["The conversation filled the model's window. Go on from the state of the files."];
    case "refused":
      return ["The model refused to go on with the previous conversation."];
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

const rounded = (times: IterationReport["ms"]): IterationReport["ms"] => ({
  model: Math.round(times.model),
  save: Math.round(times.save),
  hooks: Math.round(times.hooks),
  checks: Math.round(times.checks),
});
