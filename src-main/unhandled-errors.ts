import { log } from "./log/log.ts";

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
