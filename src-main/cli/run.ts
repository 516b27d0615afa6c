import { endedLine, endingLine } from "#shared/domain/text/ending-line.ts";
import type { HostState } from "../api/host-state.ts";
import { onEndSignal } from "../end-signals.ts";
import { createHostState } from "../host.ts";
import { reportUnhandledErrors } from "../unhandled-errors.ts";
import { version } from "../version.ts";
import { beginRun } from "./begin-run.ts";
import { type ExitCode, exitCode } from "./command-line.ts";
import { followRun } from "./follow-run.ts";
import { print, printError, printJson } from "./output.ts";
import { exitCodeOf } from "./run-exit-code.ts";
import type { RunOptions } from "./run-options.ts";
import { printNotice } from "./tell-notice.ts";

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
  // Where everybody is paused from elsewhere nothing else would keep the process until somebody goes on.
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
  return exitCodeOf({ kind: "interrupted", isSaved });
}

/** Whoever ends the command ends the watch: no later `hox run` begins to spend by itself. */
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
        : `Saved. ${takenBy} took over; the run continues there.`,
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
    const by = shown?.view.heldBy;
    if (by !== undefined) stop.abort(new TakenOver(by));
  }
}
