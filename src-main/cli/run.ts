import type { HostEvent } from "#shared/contract/events.ts";
import type { InboxItem, RunView } from "#shared/contract/views.ts";
import { type RunAgain, runAgain } from "#shared/domain/run-again.ts";
import { shownLine } from "#shared/domain/shown-text.ts";
import type { HostState } from "../api/host-state.ts";
import { copyExample, otherCount } from "../api/rehearsals.ts";
import { createHostState } from "../host.ts";
import { version } from "../version.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, folderOf } from "./command-line.ts";
import { cardText, decideAtTerminal, decidedBefore, exitFor, gateOf } from "./decide.ts";
import { print, printError, printJson } from "./output.ts";
import type { Gate } from "./program.ts";
import { landedWords, progressLines, spentText } from "./progress.ts";

export interface RunOptions extends CommonOptions {
  readonly goal?: string;
  readonly again?: boolean;
  readonly orchestrators?: number;
  readonly maxTokens?: number | "none";
  /** Micro-dollars. */
  readonly maxBudgetUsd?: number | "none";
  readonly onto?: string;
  readonly model?: string;
  readonly rehearsal?: string;
  readonly approve?: readonly Gate[];
  readonly takeOver?: boolean;
  readonly pace?: number;
}

const isOver = (run: RunView): boolean => ["complete", "failed", "stopped"].includes(run.stage);

/** The same engine as in the app, with the terminal as its client. */
export async function run(options: RunOptions): Promise<ExitCode> {
  const state = await createHostState({
    shell: "browser",
    version: version(),
    rehearsalPace: options.pace ?? 0,
  });
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  try {
    await begin(state, options);
    void stopWhenTakenOver(state, stop);
    return await follow(state, options, stop.signal);
  } finally {
    await state.close();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, interrupt);
  }
}

async function begin(state: HostState, options: RunOptions): Promise<void> {
  const rehearsals = state.parts.rehearsals.list().map(({ name }) => name);
  if (options.rehearsal !== undefined && !rehearsals.includes(options.rehearsal)) {
    throw new CommandError(
      `There is no rehearsal "${options.rehearsal}".`,
      `There ${rehearsals.length === 1 ? "is" : "are"}: ${rehearsals.join(", ")}.`,
      exitCode.usage,
    );
  }
  const { rehearsal = null, orchestrators = null } = options;
  const refused = otherCount(state.parts.rehearsals, { rehearsal, orchestrators });
  if (refused) throw new CommandError(refused.message, refused.remedy, exitCode.usage);
  const copy = options.rehearsal !== undefined && options.repo === undefined;
  const path = copy
    ? await copyExample(state.parts.rehearsals, state.stateFolder, options.rehearsal ?? "")
    : folderOf(options);
  await state.open(path);
  if (options.takeOver) await state.takeOver();
  const engine = state.engine();
  const going = engine.state().run;
  if (options.json) printJson({ kind: "opened", path });
  else print(`Repository: ${path}`);
  if (going && !isOver(going)) {
    if (options.goal !== undefined && options.goal.trim() !== going.goal) {
      throw new CommandError(
        `The run "${going.goal.slice(0, 80)}" is going on here.`,
        "Go on with it by `hox run` without --goal, or stop it in the app.",
      );
    }
    if (going.paused === "paused" || going.paused === "pausing") await engine.resume();
    return;
  }
  const again = options.again ? againAfter(going) : null;
  const goal =
    options.goal ??
    again?.goal ??
    (options.rehearsal === undefined ? undefined : state.parts.rehearsals.goal(options.rehearsal));
  if (goal === undefined || goal.trim() === "") {
    throw new CommandError(
      "No run is going on here, and there is no goal.",
      'Say what to do: hox run --goal "…"',
      exitCode.usage,
    );
  }
  await engine.startRun({
    goal: goal.trim(),
    orchestrators: options.orchestrators ?? null,
    ...(options.maxTokens === undefined ? {} : { maxTokens: orNull(options.maxTokens) }),
    ...(options.maxBudgetUsd === undefined ? {} : { maxMicroDollars: orNull(options.maxBudgetUsd) }),
    onto: options.onto ?? again?.onto ?? null,
    rehearsal: options.rehearsal ?? null,
    model: options.model ?? null,
  });
}

function againAfter(last: RunView | null): RunAgain {
  const again = last && runAgain(last);
  if (again) return again;
  throw new CommandError(
    last ? `The run "${last.goal.slice(0, 80)}" reached its goal.` : "No run has ended here.",
    'Begin one: hox run --goal "…"',
    exitCode.usage,
  );
}

const orNull = (limit: number | "none"): number | null => (limit === "none" ? null : limit);

/** Its message says by whom. */
class TakenOver extends Error {
  override readonly name = "TakenOver";
}

async function stopWhenTakenOver(state: HostState, stop: AbortController): Promise<void> {
  for await (const { event } of state.log.read(null, stop.signal)) {
    const shown = event.kind === "repository" || event.kind === "snapshot" ? event.repository : null;
    const by = shown?.view.heldBy;
    if (by !== undefined) stop.abort(new TakenOver(by));
  }
}

const told: ReadonlySet<HostEvent["kind"]> = new Set(["run", "inbox", "messages", "conversation", "notice"]);

/** Tells what happens and answers the cards, until the run is over or only a person can go on. */
async function follow(state: HostState, options: RunOptions, stop: AbortSignal): Promise<ExitCode> {
  const engine = state.engine();
  const answered = new Set<string>();
  let shown: RunView | null = null;

  /** Null: go on. */
  const show = (view: RunView | null): ExitCode | null => {
    if (!view) return null;
    if (!options.json) for (const line of progressLines(shown, view)) print(line);
    shown = view;
    if (isOver(view)) return conclude(view, options);
    if (view.providerLimit?.until !== null || view.paused !== "paused") return null;
    if (options.json) printJson({ kind: "end", outcome: "waits", code: exitCode.waits });
    else print("The work is saved; go on with `hox run` when the quota has returned.");
    return exitCode.waits;
  };

  const decide = async (items: readonly InboxItem[]): Promise<ExitCode | null> => {
    for (const item of items) {
      if (answered.has(item.nonce)) continue;
      let decision = decidedBefore(item, options.approve ?? []);
      if (!decision) {
        if (!options.json) print(`\n${cardText(item)}`);
        if (options.json || !process.stdin.isTTY) return waits(item, options);
        decision = await decideAtTerminal(item, stop);
      }
      answered.add(item.nonce);
      await engine.answer({ id: item.id, nonce: item.nonce, shown: item.shown, decision });
      if (options.json) printJson({ kind: "decided", id: item.id, card: item.kind, decision });
      else
        print(
          `   you          ${shownLine(decision.kind === "answer" ? decision.text : decision.kind)} (${gateOf(item) ?? item.kind})`,
        );
    }
    return null;
  };

  for await (const { event } of state.log.read(null, stop)) {
    let code: ExitCode | null = null;
    if (event.kind === "snapshot") {
      const { run: view, inbox } = engine.state();
      if (options.json && view) printJson({ kind: "run", run: view });
      code = show(view) ?? (await decide(inbox));
    } else {
      if (options.json && told.has(event.kind)) printJson(event);
      if (event.kind === "run") code = show(event.run);
      else if (event.kind === "inbox") code = await decide(engine.state().inbox);
      else if (event.kind === "notice" && !options.json) {
        printError(`${shownLine(event.text)}${event.remedy ? ` ${shownLine(event.remedy)}` : ""}`);
      }
    }
    if (code !== null) return code;
  }
  const takenBy = stop.reason instanceof TakenOver ? stop.reason.message : null;
  if (options.json && takenBy !== null) printJson({ kind: "taken-over", by: takenBy });
  if (!options.json)
    print(
      takenBy === null
        ? "Saved; the run goes on with `hox run` or in the app."
        : `Saved. Taken over by ${takenBy}; the run goes on there.`,
    );
  return exitCode.interrupted;
}

function waits(item: InboxItem, options: RunOptions): ExitCode {
  const code = exitFor(item);
  const gate = gateOf(item);
  if (options.json)
    printJson({
      kind: "end",
      outcome: code === exitCode.budget ? "budget" : "waits",
      card: item.kind,
      id: item.id,
      code,
    });
  else {
    print(
      "\nThis waits for a person. The work is saved; decide in the app (npm start -- <folder>) or at a terminal.",
    );
    if (gate) print(`In advance: --approve ${gate}`);
  }
  return code;
}

function conclude(view: RunView, options: RunOptions): ExitCode {
  const code = codeOf(view);
  if (options.json)
    printJson({
      kind: "end",
      outcome: view.stage,
      code,
      failure: view.failure,
      landed: view.landed,
      unchecked: view.landed !== null && view.validation?.checks.length === 0,
      budget: view.budget,
      score: view.score,
    });
  else {
    print();
    if (view.failure) print(`${shownLine(view.failure.reason)} ${shownLine(view.failure.remedy)}`);
    if (view.landed)
      print(
        `Landed ${view.landed.changeId.slice(0, 12)} on ${shownLine(view.landed.bookmark)}${landedWords(view)}.`,
      );
    if (view.score) print(`Score ${view.score.total.toFixed(2)}`);
    print(`Spent ${spentText(view)}.`);
  }
  return code;
}

/** Of a run that is over. */
export function codeOf(view: RunView): ExitCode {
  if (view.stage === "complete") return exitCode.done;
  if (view.budget.state === "exhausted") return exitCode.budget;
  const verdict = view.validation?.verdict;
  return view.stage === "failed" && (verdict === "rejected" || verdict === "vetoed")
    ? exitCode.rejected
    : exitCode.error;
}
