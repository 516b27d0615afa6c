import type { Gate } from "#shared/contract/cards/card.ts";
import { type CardAnswer, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { patchesField } from "#shared/domain/patch.ts";
import { endedLine, endingLine } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { HostState } from "../../api/host-state.ts";
import { onEndSignal, reportUnhandledErrors } from "../../end-signals.ts";
import { EngineRefusal, StaleAnswer } from "../../engine/engine-errors.ts";
import type { Engine } from "../../engine/engine-interface.ts";
import { createHostState } from "../../host.ts";
import { version } from "../../version.ts";
import { type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { print, printError, printJson } from "../output.ts";
import { beginRun } from "./begin-run.ts";
import { cardText, decideAtTerminal, decidedBefore, gateOf, gatesOpenedFor } from "./decide.ts";
import { progressLines } from "./progress.ts";
import { runLabel, runsIn } from "./run-client.ts";
import { concludeRun, isOver, leaveToUser, type RunOptions } from "./run-outcome.ts";

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
  reportUnhandledErrors(printError);
  onEndSignal(
    () => {
      printEnding(state, options);
      stop.abort();
    },
    (code) => {
      if (options.json) printJson({ kind: "ended", code });
      else print(endedLine);
      process.exit(code);
    },
  );
  let unsaved = Promise.resolve(false);
  // Keeps the process alive while all runs are paused from elsewhere.
  const keepAlive = setInterval(() => undefined, 60_000);
  try {
    const begun = await Promise.race([beginRun(state, options), stopped]);
    if (begun === null) return exitCode.done;
    if (begun && !stop.signal.aborted) {
      void stopWhenTakenOver(state, stop);
      const code = await Promise.race([followRun(state, begun, options, stop.signal), stopped]);
      if (code !== undefined && code !== null) return code;
    }
  } finally {
    clearInterval(keepAlive);
    unsaved = printFailures(state, options);
    if (options.watch && !isTakenOver(stop.signal)) await endWatch(state);
    await state.close();
  }
  const isSaved = !(await unsaved);
  // Ctrl-C is how a watch ends.
  if (options.watch && isSaved && !isTakenOver(stop.signal)) {
    if (!options.json) print("Ended. To see the archangels' comments: hox comments");
    return exitCode.done;
  }
  if (isSaved) printStopped(stop.signal, options);
  return isSaved ? exitCode.interrupted : exitCode.error;
}

const printedEvents: ReadonlySet<HostEvent["kind"]> = new Set(["inbox", "conversation"]);

/**
 * Prints events and answers the cards, until the runs are over or only the user can continue. Null: it was
 * stopped.
 * @param begun their ids; later runs started by others here are reported after these, because they end with
 *   this host
 */
export async function followRun(
  state: HostState,
  begun: readonly string[],
  options: RunOptions,
  stop: AbortSignal,
): Promise<ExitCode | null> {
  const engine = state.engine();
  const shown = new Map<string, RunView>();
  const ends = new Map<string, ExitCode>();
  let followed = begun;

  /** Null: continue. */
  const show = (view: RunView): ExitCode | null => {
    if (!followed.includes(view.id) || ends.has(view.id)) return null;
    if (!options.json) printProgress(shown.get(view.id) ?? null, view, followed.length > 1);
    shown.set(view.id, view);
    if (isOver(view)) {
      ends.set(view.id, concludeRun(view, options));
      if (followed.some((id) => !ends.has(id))) return null;
      const left = otherRunsGoing(engine, followed);
      if (left.length === 0) return endOf(followed.flatMap((id) => ends.get(id) ?? []));
      followed = [...followed, ...left.map(({ id }) => id)];
      if (!options.json)
        print(
          `\nStill active here: ${left.map(runLabel).join(", ")}. Press Ctrl-C to save and exit; resume with \`hox run\`.`,
        );
      return null;
    }
    if (view.providerLimit?.until !== null || view.paused !== "paused") return null;
    if (options.json) printJson({ kind: "end", outcome: "waits", code: exitCode.waits });
    else print("The work is saved. Resume with `hox run` when your quota resets.");
    return exitCode.waits;
  };

  const decide = createCardAnswerer(state, options, stop, (run) => followed.includes(run));

  for await (const { event } of state.log.read(null, stop)) {
    let code: ExitCode | null = null;
    if (event.kind === "snapshot") {
      for (const view of runsIn(engine.state())) {
        if (options.json && followed.includes(view.id)) printJson({ kind: "run", run: view });
        code ??= show(view);
      }
      code ??= await decide(engine.state().inbox);
    } else {
      if (event.kind === "notice") printNotice(event, options);
      else if (options.json && printedEvents.has(event.kind)) printJson(event);
      const view = viewAfter(engine, event, options);
      if (view) {
        const before = followed;
        // What one that is followed from now on asks was asked before.
        code = show(view) ?? (followed === before ? null : await decide(engine.state().inbox));
      }
      if (event.kind === "inbox") code = await decide(engine.state().inbox);
    }
    if (code !== null) return code;
  }
  return null;
}

/** The run that the event is about, printed for programs; null for other events. */
function viewAfter(
  engine: Pick<Engine, "state">,
  event: HostEvent,
  { json }: Pick<CommonOptions, "json">,
): RunView | null {
  if (event.kind !== "run" && event.kind !== "run-update") return null;
  const id = event.kind === "run" ? event.run.id : event.update.run;
  const view = runsIn(engine.state()).find((one) => one.id === id) ?? null;
  if (json && view) printJson({ kind: "run", run: view });
  if (json && event.kind === "run-update" && event.update.live && patchesField(event.update.live, "messages"))
    printJson({ kind: "messages", messages: engine.state().messages });
  return view;
}

function printNotice(
  event: Extract<HostEvent, { kind: "notice" }>,
  { json }: Pick<CommonOptions, "json">,
): void {
  if (json) printJson(event);
  else printError(`${shownLine(event.text)}${event.remedy ? ` ${shownLine(event.remedy)}` : ""}`);
}

/**
 * Answers the cards of followed runs, in advance or from the terminal.
 *
 * @returns answers the given cards; its result is null if the runs continue
 */
function createCardAnswerer(
  state: HostState,
  options: RunOptions,
  stop: AbortSignal,
  isFollowed: (run: string) => boolean,
): (items: readonly InboxItem[]) => Promise<ExitCode | null> {
  const engine = state.engine();
  const answered = new Set<string>();

  const openedFor = (id: string): readonly Gate[] => {
    const asking = runsIn(engine.state()).find((one) => one.id === id);
    return gatesOpenedFor(options.approve ?? [], { rehearsal: asking?.rehearsal ?? null });
  };

  /** @returns whether it counts; a withdrawn card is reported and skipped */
  const give = async (item: InboxItem, decision: CardAnswer, isTyped: boolean): Promise<boolean> => {
    try {
      const { run, id, nonce, shown } = item;
      await engine.execute("inbox.answer", { run, id, nonce, shown, decision });
    } catch (error) {
      const isLeft = error instanceof StaleAnswer || (isTyped && error instanceof EngineRefusal);
      if (!isLeft) throw error;
      const { message, remedy } = error;
      printNotice({ kind: "notice", level: "warning", text: message, remedy }, options);
      return false;
    }
    if (options.json) printJson({ kind: "decided", id: item.id, card: item.kind, decision });
    else
      print(
        `   you          ${shownLine(decision.kind === "answer" ? decision.text : decision.kind)} (${gateOf(item) ?? item.kind})`,
      );
    return true;
  };

  /** Asks again what is still open after an answer that did not count. */
  const askUser = async (item: InboxItem): Promise<void> => {
    for (;;) {
      const decision = await decideWhileOpen(state, item, stop);
      if (decision === null)
        return print("\nThis card is closed: it was answered elsewhere, or its subject has changed.");
      if (await give(item, decision, true)) return;
    }
  };

  return async (items) => {
    for (const item of items) {
      // Cards that block no work can be answered later.
      if (!isFollowed(item.run) || answered.has(item.nonce) || kindOfCard(item).isInert) continue;
      answered.add(item.nonce);
      const before = decidedBefore(item, openedFor(item.run));
      if (before !== null) {
        await give(item, before, false);
        continue;
      }
      if (!options.json) print(`\n${cardText(item)}`);
      if (options.json || !process.stdin.isTTY) return leaveToUser(item, options);
      await askUser(item);
    }
    return null;
  };
}

/** The user's typed answer; null: it was answered elsewhere or withdrawn. */
async function decideWhileOpen(
  state: HostState,
  item: InboxItem,
  stop: AbortSignal,
): Promise<CardAnswer | null> {
  const over = new AbortController();
  const gone = new AbortController();
  const watching = untilGone(state, item, over.signal).then((isGone) => {
    if (isGone) gone.abort();
  });
  try {
    return await decideAtTerminal(item, AbortSignal.any([stop, gone.signal]));
  } catch (error) {
    if (gone.signal.aborted && !stop.aborted) return null;
    throw error;
  } finally {
    over.abort();
    await watching;
  }
}

/** Resolves with true as soon as a card is withdrawn, and with false when aborted. */
async function untilGone(state: HostState, { nonce }: InboxItem, over: AbortSignal): Promise<boolean> {
  const isOpen = (): boolean =>
    state
      .engine()
      .state()
      .inbox.some((one) => one.nonce === nonce);
  const updates = state.log.read(state.log.last, over);
  // It may have gone before this call.
  if (!isOpen()) return true;
  for await (const { event } of updates)
    if ((event.kind === "inbox" || event.kind === "snapshot") && !isOpen()) return true;
  return false;
}

function printProgress(before: RunView | null, view: RunView, isOneOfSeveral: boolean): void {
  for (const line of progressLines(before, view)) print(isOneOfSeveral ? `${view.root} ${line}` : line);
}

/** Of several the first that did not end well says how it went. */
const endOf = (codes: readonly ExitCode[]): ExitCode =>
  codes.find((code) => code !== exitCode.done) ?? exitCode.done;

const otherRunsGoing = (engine: Pick<Engine, "state">, followed: readonly string[]): readonly RunView[] =>
  runsIn(engine.state()).filter((one) => !isOver(one) && !one.isWatch && !followed.includes(one.id));

/** Ending the command ends the watch, so that no later `hox run` starts spending. */
const endWatch = async (state: HostState): Promise<void> =>
  state.opened().engine?.execute("archangel.watch", { isOn: false });

/** What goes wrong from now on, until the host has closed. */
async function printFailures(state: HostState, options: RunOptions): Promise<boolean> {
  let hasFailed = false;
  for await (const { event } of state.log.read(state.log.last)) {
    if (event.kind !== "notice" || event.level !== "error") continue;
    hasFailed = true;
    printNotice(event, options);
  }
  return hasFailed;
}

function printEnding(state: HostState, { json }: RunOptions): void {
  if (json) printJson({ kind: "ending", ...state.ending() });
  else print(`\n${endingLine(state.ending())}`);
}

function printStopped(stop: AbortSignal, { json }: RunOptions): void {
  const takenBy = stop.reason instanceof TakenOver ? stop.reason.message : null;
  if (json) {
    if (takenBy !== null) printJson({ kind: "taken-over", by: takenBy });
  } else
    print(
      takenBy === null
        ? "Saved. Resume the run with `hox run` or in the app."
        : `Saved. The run continues in ${takenBy}.`,
    );
}

/** Its message says by whom. */
class TakenOver extends Error {
  override readonly name = "TakenOver";
}

const isTakenOver = ({ reason }: AbortSignal): boolean => reason instanceof TakenOver;

async function stopWhenTakenOver(state: HostState, stop: AbortController): Promise<void> {
  for await (const { event } of state.log.read(null, stop.signal)) {
    const shown = event.kind === "repository" || event.kind === "snapshot" ? event.repository : null;
    const by = shown?.view.lockedBy;
    if (by !== undefined) stop.abort(new TakenOver(by));
  }
}
