import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { exitCode } from "./command-line.ts";
import { momentIn } from "./steer/undo.ts";
import { hoxInProcess } from "./testing/in-process.ts";

let own: TestRepository | null = null;
let state: string | null = null;
afterEach(async () => {
  await own?.remove();
  if (state !== null) await rm(state, { recursive: true, force: true });
  [own, state] = [null, null];
});

test("a moment is an operation, a time, or an age", () => {
  const now = new Date(2026, 4, 4, 12, 0).getTime();
  expect(momentIn("20m", now)).toBe(now - 20 * 60_000);
  expect(momentIn("11:30", now)).toBe(now - 30 * 60_000);
  expect(momentIn("23:00", now)).toBe(now - 13 * 3_600_000);
  expect(momentIn("2026-05-04T11:00", now)).toBe(now - 3_600_000);
  expect(momentIn("0123abcd", now)).toBe("0123abcd");
  expect(() => momentIn("yesterday", now)).toThrow(/not an operation or a time/u);
});

test("a restore is previewed and then done; without confirmation nothing happens", async () => {
  own = await createTestRepository();
  state = await mkdtemp(join(tmpdir(), "hox-cli-restore-"));
  const { repository } = own;
  const hox = (...args: readonly string[]) =>
    hoxInProcess(["restore", ...args], { folder: repository.root, env: { HOX_STATE: state ?? "" } });
  const moment = await repository.currentOperation();
  await repository.newChange({ parents: ["@-"], description: "raise the wall\n", files: { "w.txt": "w\n" } });
  const looked = await hox("--to", moment.slice(0, 12), "--dry-run");
  expect(looked.code, looked.stderr).toBe(exitCode.done);
  expect(looked.stdout).toContain("goes        raise the wall");
  const unsaid = await hox("--to", moment.slice(0, 12));
  expect([unsaid.code, unsaid.stderr]).toEqual([exitCode.waits, expect.stringContaining("--yes")]);
  expect(await repository.query("description(substring:wall)")).toHaveLength(1);
  const done = await hox("--to", moment.slice(0, 12), "--yes", "--json");
  expect(JSON.parse(done.stdout.split("\n")[1] ?? "")).toMatchObject({ kind: "restored", ended: [] });
  expect(await repository.query("description(substring:wall)")).toEqual([]);
  expect((await hox("--to", moment.slice(0, 12), "--yes")).stderr).toContain("Nothing to restore");
});
