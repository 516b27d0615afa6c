import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockRepository } from "./repository-lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("holds a repository once, until it is released", () => {
  const first = lockRepository(folder);
  expect(first.held).toBe(true);
  expect(lockRepository(folder)).toMatchObject({
    held: false,
    by: expect.stringContaining(`${process.pid}`),
  });
  if (first.held) first.lock.release();
  const next = lockRepository(folder);
  expect(next.held).toBe(true);
  if (next.held) next.lock.release();
});

test.skipIf(process.platform === "win32")("keeps the state from other people on the machine", () => {
  const state = join(folder, "hox", "repositories", "one");
  const answer = lockRepository(state);
  if (answer.held) answer.lock.release();
  for (const made of [state, dirname(state), dirname(dirname(state))])
    expect(statSync(made).mode & 0o077).toBe(0);
});
