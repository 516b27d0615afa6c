import type { Gate } from "#shared/contract/cards/gates.ts";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import type { GroundCommit, GroundView } from "#shared/contract/views/landing.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { type RunAgain, runAgain } from "#shared/domain/run/run-again.ts";
import { describeBudget } from "#shared/domain/spending/budget.ts";
import { besideLine, spentBeside } from "#shared/domain/spending/spent-beside.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { endedLine, endingLine } from "#shared/domain/text/ending-line.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { HostState } from "../api/host-state.ts";
import { copyExample, otherCount } from "../api/rehearsals.ts";
import { onEndSignal } from "../end-signals.ts";
import type { Engine } from "../engine/engine-interface.ts";
import { createHostState } from "../host.ts";
import { version } from "../version.ts";
import { ask } from "./ask.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, folderOf } from "./command-line.ts";
import { answerLines, cardText, decideAtTerminal, decidedBefore, gateOf } from "./decide.ts";
import { print, printError, printJson } from "./output.ts";
import { landedWords, progressLines, spentText } from "./progress.ts";
import { exitCodeOf } from "./run-exit-code.ts";

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
  const stopped = new Promise<void>((resolve) =>
    stop.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  onEndSignal(
    () => {
      tellEnding(state, options);
      stop.abort();
    },
    (code) => {
      if (options.json) printJson({ kind: "ended", code });
      else print(endedLine);
      process.exit(code);
    },
  );
  let unsaved = Promise.resolve(false);
  try {
    await Promise.race([begin(state, options), stopped]);
    if (!stop.signal.aborted) {
      void stopWhenTakenOver(state, stop);
      const code = await Promise.race([follow(state, options, stop.signal), stopped]);
      if (code !== undefined && code !== null) return code;
    }
  } finally {
    unsaved = tellFailures(state, options);
    await state.close();
  }
  const isSaved = !(await unsaved);
  if (isSaved) tellStopped(stop.signal, options);
  return exitCodeOf({ kind: "interrupted", isSaved });
}

/** What goes wrong from now on, until the host has closed. */
async function tellFailures(state: HostState, options: RunOptions): Promise<boolean> {
  let hasFailed = false;
  for await (const { event } of state.log.read(state.log.last)) {
    if (event.kind !== "notice" || event.level !== "error") continue;
    hasFailed = true;
    tellNotice(event, options);
  }
  return hasFailed;
}

function tellNotice(event: Extract<HostEvent, { kind: "notice" }>, { json }: RunOptions): void {
  if (json) printJson(event);
  else printError(`${shownLine(event.text)}${event.remedy ? ` ${shownLine(event.remedy)}` : ""}`);
}

function tellEnding(state: HostState, { json }: RunOptions): void {
  if (json) printJson({ kind: "ending", ...state.ending() });
  else print(`\n${endingLine(state.ending())}`);
}

function tellStopped(stop: AbortSignal, { json }: RunOptions): void {
  const takenBy = stop.reason instanceof TakenOver ? stop.reason.message : null;
  if (json) {
    if (takenBy !== null) printJson({ kind: "taken-over", by: takenBy });
  } else
    print(
      takenBy === null
        ? "Saved; the run goes on with `hox run` or in the app."
        : `Saved. Taken over by ${takenBy}; the run goes on there.`,
    );
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
        `The run "${startOf(going.goal, 80)}" is going on here.`,
        "Go on with it by `hox run` without --goal, or stop it in the app.",
      );
    }
    if (going.paused === "paused" || going.paused === "pausing") await engine.execute("run.resume");
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
  const ground = options.onto ?? again?.onto ?? (copy ? null : await groundOf(engine, options));
  await engine.execute("run.start", {
    goal: goal.trim(),
    orchestrators: options.orchestrators ?? null,
    ...(options.maxTokens === undefined ? {} : { maxTokens: orNull(options.maxTokens) }),
    ...(options.maxBudgetUsd === undefined ? {} : { maxMicroDollars: orNull(options.maxBudgetUsd) }),
    onto: ground,
    rehearsal: options.rehearsal ?? null,
    model: options.model ?? null,
  });
  const begun = engine.state().run;
  if (begun !== null && !options.json) print(spendingWords(begun));
}

/** What the run may cost, before anything is paid. */
function spendingWords({ model, budget, rehearsal }: RunView): string {
  if (rehearsal !== null) return "A rehearsal: its models are scripted, and nothing is paid.";
  const limit = describeBudget({ tokens: budget.limitTokens, microDollars: budget.limitMicroDollars });
  return `Asks ${shownLine(model)}; spends ${limit === "" ? "without a limit (--max-budget-usd 5 sets one)" : `${limit} (--max-budget-usd and --max-tokens say otherwise)`}.`;
}

/**
 * The branch to build and land on where nothing was said: the person is told it, and asked where it is not the main one.
 */
async function groundOf(engine: Engine, options: RunOptions): Promise<string | null> {
  const found = await engine.execute("run.ground");
  const { standsOn, trunk } = found;
  if (options.json) printJson({ kind: "ground", branch: standsOn, ...found });
  if (standsOn === null) return options.json ? null : baseOf(found);
  const elsewhere = trunk !== null && trunk !== standsOn;
  if (!options.json)
    print(
      `Builds and lands on ${shownName(standsOn)}, the branch that you are on.${elsewhere ? ` (--onto ${shownName(trunk)} for the main one)` : ""}`,
    );
  if (!elsewhere || options.json || !process.stdin.isTTY) return null;
  const answer = (await ask(`${standsOn} or ${trunk}? [${standsOn}] `)).trim();
  if (answer === "" || answer === standsOn) return null;
  if (answer === trunk) return trunk;
  throw new CommandError(
    `"${answer}" is neither of the two.`,
    "Name another change with --onto.",
    exitCode.usage,
  );
}

/** The same for whoever is on no branch of Git's: what they stand on may not be what is built on. */
async function baseOf({ trunk, base, leftOut }: GroundView): Promise<string | null> {
  // The start says that there is nothing to build on.
  if (base === null) return null;
  const lands = trunk === null ? "the card asks where it lands" : `lands on ${shownName(trunk)}`;
  print(`Builds on ${commitWords(base)}; ${lands}.`);
  if (leftOut === null) return null;
  print(
    `You are on ${commitWords(leftOut)}, which is not in it. (--onto ${leftOut.changeId.slice(0, 12)} to build on that)`,
  );
  if (!process.stdin.isTTY) return null;
  const answer = (await ask("Build on what you are on instead? [y/N] ")).trim().toLowerCase();
  return ["y", "yes"].includes(answer) ? leftOut.changeId : null;
}

const commitWords = ({ changeId, commitId, title }: GroundCommit): string =>
  `${changeId.slice(0, 8)} ${commitId.slice(0, 8)}${title === "" ? "" : ` "${shownLine(startOf(title, 60))}"`}`;

function againAfter(last: RunView | null): RunAgain {
  const again = last && runAgain(last);
  if (again) return again;
  throw new CommandError(
    last ? `The run "${startOf(last.goal, 80)}" reached its goal.` : "No run has ended here.",
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

const told: ReadonlySet<HostEvent["kind"]> = new Set(["run", "inbox", "messages", "conversation"]);

/**
 * Tells what happens and answers the cards, until the run is over or only a person can go on. Null: it was stopped.
 */
async function follow(state: HostState, options: RunOptions, stop: AbortSignal): Promise<ExitCode | null> {
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
    const code = exitCodeOf({ kind: "quota" });
    if (options.json) printJson({ kind: "end", outcome: "waits", code });
    else print("The work is saved; go on with `hox run` when the quota has returned.");
    return code;
  };

  const decide = async (items: readonly InboxItem[]): Promise<ExitCode | null> => {
    for (const item of items) {
      if (answered.has(item.nonce)) continue;
      let decision = decidedBefore(item, options.approve ?? []);
      if (!decision) {
        if (!options.json) print(`\n${cardText(item)}`);
        if (options.json || !process.stdin.isTTY) return waits(item, items.indexOf(item) + 1, options);
        decision = await decideAtTerminal(item, stop);
      }
      answered.add(item.nonce);
      await engine.execute("inbox.answer", { id: item.id, nonce: item.nonce, shown: item.shown, decision });
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
      if (event.kind === "notice") tellNotice(event, options);
      else if (options.json && told.has(event.kind)) printJson(event);
      if (event.kind === "run") code = show(event.run);
      else if (event.kind === "inbox") code = await decide(engine.state().inbox);
    }
    if (code !== null) return code;
  }
  return null;
}

function waits(item: InboxItem, number: number, options: RunOptions): ExitCode {
  const code = exitCodeOf({ kind: "card", card: item.kind });
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
      "\nThis waits for a person. The work is saved; decide in the app (npm start -- <folder>) or at a terminal:",
    );
    for (const line of answerLines(item, number)) print(line);
    if (gate) print(`In advance: --approve ${gate}`);
  }
  return code;
}

function conclude(view: RunView, options: RunOptions): ExitCode {
  const code = exitCodeOf({ kind: "over", by: view.endedBy ?? null });
  if (options.json)
    printJson({
      kind: "end",
      outcome: view.stage,
      code,
      failure: view.failure,
      landed: view.landed,
      unchecked: view.landed !== null && view.validation?.checks.length === 0,
      budget: view.budget,
      beside: spentBeside(view.workers, view.budget.byWorker),
      score: view.score,
    });
  else {
    print();
    if (view.failure) print(`${shownLine(view.failure.reason)} ${shownLine(view.failure.remedy)}`);
    if (view.landed)
      print(
        `Landed ${(view.landed.to ?? view.landed.changeId).slice(0, 12)} on ${shownLine(view.landed.bookmark)}${landedWords(view)}. \`hox undo-landing\` takes it back.`,
      );
    if (view.score) print(`Score ${view.score.total.toFixed(2)}`);
    print(`Spent ${spentText(view)}.`);
    print(`${besideLine(spentBeside(view.workers, view.budget.byWorker))}.`);
  }
  return code;
}
