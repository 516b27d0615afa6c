/** The test kit for what needs a machine. Plain data: `#shared/testing/kit.ts`; whole runs: `engine/testing/run-fixture.ts`. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";

/** A new folder for this test, by its real path. It is removed after the test and its `afterEach`. */
export function tempDir(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hox-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Waits until expectations hold, as long as a busy machine may take. */
export const eventually = <T>(expectation: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(expectation, { timeout: 120_000, interval: 50 });

/**
 * Watches timers of this process from now on, for limits that a busy machine would exceed at another moment than the test wants.
 *
 * @returns lets the time of the first timer with this length pass at once
 */
export function watchTimers(): (ms: number) => void {
  const started = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => started.mockRestore());
  return (ms) => {
    const [work] = started.mock.calls.find(([, length]) => length === ms) ?? [];
    if (work === undefined) throw new Error(`No timer of ${ms} ms was started.`);
    work();
  };
}

/** A clock that stops until the test lets time pass. */
export function createTestClock(start = 0) {
  let now = start;
  const waiting = new Set<{ readonly at: number; readonly work: () => void }>();
  return {
    now: () => now,
    monotonic: () => now,
    after(ms: number, work: () => void): () => void {
      const one = { at: now + ms, work };
      waiting.add(one);
      return () => waiting.delete(one);
    },
    pass(ms: number): void {
      now += ms;
      for (const one of [...waiting]) if (one.at <= now && waiting.delete(one)) one.work();
    },
    /** How long until the next thing that waits; Infinity while nothing does. */
    untilNext: (): number => Math.min(...[...waiting].map(({ at }) => at - now)),
  };
}
