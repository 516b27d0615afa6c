/** Periodic checks. A failing check is reported and then runs less often; it never stops. */
import type { Clock } from "./clock.ts";
import { pauseMs } from "./pause.ts";

export interface TickOptions {
  readonly everyMs: () => number;
  readonly look: () => void;
  readonly isEnded: () => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
}

export function startTicking({ everyMs, look, isEnded, onFailure, clock }: TickOptions): void {
  let failures = 0;
  const tick = (): void => {
    if (isEnded()) return;
    try {
      look();
      failures = 0;
    } catch (error) {
      failures += 1;
      onFailure(error);
    }
    clock.after(Math.max(everyMs(), pauseMs(failures)), tick);
  };
  tick();
}
