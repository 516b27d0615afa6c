import type { CheckResult, HookEvent, HookResult } from "#shared/domain/conversation/conversation.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { Conversation, TurnEnd } from "./agent-interface.ts";
import { endWithoutWord, type Streak, streakAfter, wordToEngine } from "./iteration-end.ts";
import type { IterationReport, LoopEnd, LoopOptions } from "./loop-interface.ts";
import { notesFor } from "./notes-for-agent.ts";
import { runHooks } from "./post-tools-hooks.ts";

/** The iterations of one agent, each in a fresh context, until its work is done, waits, or may not go on. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  let { resume } = options;
  let failures: readonly CheckResult[] = [];
  let notes: readonly string[] = [];
  let streak: Streak = { refusals: 0, loops: 0 };

  for (let iteration = resume?.iteration ?? 1; iteration <= options.maxIterations; iteration++) {
    // The prompt first: what it stands on may move while it is built, and the conversation is begun on that.
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

/** What goes on in one iteration, once its conversation has ended. */
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
 * Judges what an iteration made; what is reported as done stands then as its last hooks have left it.
 *
 * @param isTouched whether hooks may have changed files since the work was saved
 * @returns null where it was stopped meanwhile
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
