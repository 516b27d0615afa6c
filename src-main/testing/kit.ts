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
