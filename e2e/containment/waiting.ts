import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/**
 * How many times as long something may take in `npm test` as in the long form, which runs alone: other tests keep the machine
 * busy, and a process may stand still for ten seconds. What nothing ends lives for longer than that.
 */
export const slack = process.env.VITEST === undefined ? 1 : 6;

/** Until a file is there, or the attack has not come to it. */
export async function untilThere(path: string, limitMs = 15_000 * slack): Promise<void> {
  for (const begun = performance.now(); !existsSync(path); await pause(10))
    if (performance.now() - begun > limitMs) throw new Error(`the attack did not run: there is no ${path}`);
}

/** Sockets of this process. */
export const openSockets = (): number =>
  readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
