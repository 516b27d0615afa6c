import { constants } from "node:os";
import { format } from "node:util";
import { type SlowCommand, slowCommandEnded, slowCommandLine } from "#shared/domain/host/machine-state.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { watchSlowCommands } from "./jj/process/slow-commands.ts";
import { log } from "./log/log.ts";

/** Ctrl-C, `kill` or a service manager, and a terminal that closes. */
const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm passes on what the terminal has sent already, and a session that ends sends two: so soon, it is the same wish. */
const sameWishMs = 500;

/** Writing to a closed terminal must not end the process before everything is saved. */
function outliveTheTerminal(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners("error").on("error", () => undefined);
}

/**
 * The first signal that asks the process to end begins an orderly end, a later one ends it at once: what was acknowledged
 * is on disk by then.
 *
 * Listeners stay for good: while jj runs, execa watches these signals too and ends the process when it finds itself alone.
 */
export function onEndSignal(
  begin: () => void,
  endAtOnce: (code: number) => void = (code) => process.exit(code),
): void {
  let begunAt: number | null = null;
  for (const name of endSignals) {
    process.on(name, () => {
      if (begunAt === null) {
        begunAt = performance.now();
        outliveTheTerminal();
        begin();
      } else if (performance.now() - begunAt >= sameWishMs) endAtOnce(128 + constants.signals[name]);
    });
  }
}

/**
 * Makes visible what a host prints with `console`: its errors name files, branches and answers of other programs, and a terminal
 * would act on escapes in them, and turn the direction of text around.
 */
export function makeConsoleVisible(): void {
  for (const name of ["log", "warn", "error"] as const) {
    const print = console[name].bind(console);
    console[name] = (...parts: readonly unknown[]) => print(shownText(format(...parts)));
  }
}

/** Prints a line when a command of jj has been running for long, and one when it has ended. @returns stops it */
export function printSlowCommands(print: (line: string) => void): () => void {
  let known: readonly SlowCommand[] = [];
  return watchSlowCommands((slow) => {
    const now = Date.now();
    for (const one of slow) if (!known.includes(one)) print(slowCommandLine(one, now));
    for (const one of known) if (!slow.includes(one)) print(slowCommandEnded(one, now));
    known = slow;
  });
}

/**
 * Keeps a host running when an error is handled nowhere: other agents are at work in the same process. The error is printed
 * whole and logged, and the browser tests fail on it.
 */
export function reportUnhandledErrors(print: (line: string) => void): void {
  process.on("unhandledRejection", (error) => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.error("unhandled error", { error });
    print(`Internal error: ${detail}\nAgents keep running. Please report this.`);
  });
}
