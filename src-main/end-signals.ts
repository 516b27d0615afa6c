import { constants } from "node:os";

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
