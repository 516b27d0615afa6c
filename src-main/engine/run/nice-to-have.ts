import { setTimeout } from "node:timers/promises";
import { explain, Interrupted } from "../engine-errors.ts";
import type { Run } from "./run.ts";

const retries = 3;
const waitMs = 100;

/**
 * Does what a run can do without: metrics, clean-up, recording patterns. Tried again after 100, 200 and 300 ms; then a
 * person is told, and the run goes on. What must be true never comes through here. (PLAN-7)
 * @param what as a person reads it: "The workspace of agent-1 could not be removed"
 * @returns whether it was done
 */
export async function niceToHave(
  run: Pick<Run, "emit" | "ending">,
  what: string,
  attempt: () => Promise<void>,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      await attempt();
      return true;
    } catch (error) {
      if (error instanceof Interrupted || run.ending.signal.aborted) throw error;
      if (tries > retries) {
        const { message, remedy } = explain(error);
        run.emit({ kind: "notice", level: "warning", text: `${what}: ${message}`, remedy });
        return false;
      }
      await setTimeout(waitMs * tries);
    }
  }
}
