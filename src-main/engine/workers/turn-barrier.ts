import { createSerial } from "#shared/async/serial.ts";
import { createWaiters } from "../kernel/waiters.ts";
import type { TurnBarrier } from "../ports.ts";

export function createTurnBarrier(): TurnBarrier {
  const inside: string[] = [];
  const barred: { readonly touches: (who: string) => boolean; readonly why: string }[] = [];
  const serial = createSerial();
  const waiters = createWaiters();
  const wants = (who: string): string | null => barred.find(({ touches }) => touches(who))?.why ?? null;

  const apart: TurnBarrier["apart"] = (touched, work, why = "the graph is being rewritten") => {
    const bar = {
      touches: typeof touched === "string" ? (who: string) => who === touched : touched,
      why,
    };
    barred.push(bar);
    return serial.run("apart", async () => {
      try {
        await waiters.until(() => !inside.some(bar.touches));
        return await work();
      } finally {
        barred.splice(barred.indexOf(bar), 1);
        waiters.wake();
      }
    });
  };

  return {
    wants,
    async among(who, turns) {
      await waiters.until(() => wants(who) === null);
      inside.push(who);
      try {
        return await turns();
      } finally {
        inside.splice(inside.indexOf(who), 1);
        waiters.wake();
      }
    },
    apart,
    alone: (work, why) => apart(() => true, work, why),
  };
}
