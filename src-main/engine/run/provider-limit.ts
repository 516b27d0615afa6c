/** The provider's limit in a run: shown while it lasts, and a pause if the user wants to be asked. */
import type { ProviderPause, RateLimit, RateLimitState } from "../../model/rate-limit.ts";
import type { Run } from "../ports.ts";

/** Shorter waits are shown while they last; a notice would come after its end. */
const worthTelling = 30_000;

/**
 * Shows the shared scheduler's pauses until the run's end. If a pause may not resume automatically, the run
 * is paused as by the user: it resumes when the user does so, also after a restart.
 */
export function followProviderLimit(run: Run, scheduler: RateLimit): void {
  const hear = ({ pause }: RateLimitState): void => {
    const before = run.providerLimit;
    run.providerLimit = pause;
    run.changed();
    keep(run, pause);
    if (pause?.kind === "outage") {
      // Once, however often it is tried; the line in the window and the terminal says when it is tried next.
      if (before?.kind !== "outage") tell(run, "warning", pause.reason, { remedy: pause.remedy });
      return;
    }
    if (pause === null && before?.kind === "outage")
      tell(run, "info", `The provider responds again, after ${minutes(run.now() - before.since)}.`, {
        remedy: "No action needed: all agents resume.",
      });
    if (pause === null || (before !== null && before.until === pause.until)) return;
    if (pause.until === null) {
      run.dispatch({ kind: "Pause" });
      tell(run, "warning", `Provider limit reached: ${pause.reason}`, {
        remedy: "The run is paused. Resume it when your quota resets.",
      });
    } else if (before === null && pause.until - run.now() >= worthTelling)
      tell(run, "info", `Provider limit reached: ${pause.reason}`, {
        remedy: "Agents wait and resume automatically.",
      });
  };
  const stop = scheduler.onPause(hear);
  run.runEnded.signal.addEventListener("abort", stop, { once: true });
  scheduler.setResumesByItself(run.config.models.resumeWhenQuotaReturns);
}

/** Stored with the run as far as it is shown; a pause that the user must resume says so. */
function keep(run: Run, pause: ProviderPause | null): void {
  const { isProviderAwaited } = run.facts.downtime;
  const isLong =
    pause?.kind === "outage" || (pause?.until != null && pause.until - run.now() >= worthTelling);
  if (isLong && !isProviderAwaited) run.append({ kind: "ProviderWaitBegan" });
  else if (pause === null && isProviderAwaited) run.append({ kind: "ProviderWaitEnded" });
}

const minutes = (ms: number): string =>
  ms < 90_000 ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / 60_000)} minutes`;

const tell = (run: Run, level: "info" | "warning", text: string, { remedy }: { remedy: string }): void =>
  run.emit({ kind: "notice", level, text, remedy });
