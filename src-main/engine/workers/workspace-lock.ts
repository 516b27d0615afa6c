import { createSerial } from "#shared/async/serial.ts";
import { createWaiters } from "../kernel/waiters.ts";
import type { WorkspaceLock } from "../ports.ts";

export function createWorkspaceLock(): WorkspaceLock {
  const inside: string[] = [];
  const barred: { readonly touches: (who: string) => boolean; readonly why: string }[] = [];
  const serial = createSerial();
  const waiters = createWaiters();
  const pendingReason = (who: string): string | null =>
    barred.find(({ touches }) => touches(who))?.why ?? null;

  const withExclusive: WorkspaceLock["withExclusive"] = (
    touched,
    work,
    why = "the graph is being rewritten",
  ) => {
    const bar = {
      touches: typeof touched === "string" ? (who: string) => who === touched : touched,
      why,
    };
    barred.push(bar);
    return serial.run("exclusive", async () => {
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
    pendingReason,
    async withShared(who, turns) {
      await waiters.until(() => pendingReason(who) === null);
      inside.push(who);
      try {
        return await turns();
      } finally {
        inside.splice(inside.indexOf(who), 1);
        waiters.wake();
      }
    },
    withExclusive,
    withAllExclusive: (work, why) => withExclusive(() => true, work, why),
  };
}
