import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { mountSmallDisk, type SmallDisk } from "../jj/testing/small-disk.ts";
import { tempDir } from "../testing/kit.ts";
import { lockRepository } from "./repository-lock.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

test("locks a repository once, until it is released", () => {
  const first = lockRepository(folder);
  expect(first.isAcquired).toBe(true);
  expect(lockRepository(folder)).toMatchObject({
    isAcquired: false,
    by: expect.stringContaining(`${process.pid}`),
  });
  if (first.isAcquired) first.lock.release();
  const next = lockRepository(folder);
  expect(next.isAcquired).toBe(true);
  if (next.isAcquired) next.lock.release();
});

test.skipIf(process.platform === "win32")("keeps the state private to the user", () => {
  const state = join(folder, "hox", "repositories", "one");
  const answer = lockRepository(state);
  if (answer.isAcquired) answer.lock.release();
  for (const made of [state, dirname(state), dirname(dirname(state))])
    expect(statSync(made).mode & 0o077).toBe(0);
});

test("a full disk leaves no partial lock: with room the same process gets it", (context) => {
  let disk: SmallDisk;
  try {
    disk = mountSmallDisk(join(folder, "disk"), 1);
  } catch (error) {
    context.skip(true, `not run, no disk can be mounted here: ${(error as Error).message}`);
    return;
  }
  try {
    // What was held here before has left its files, but the note was lost.
    const before = lockRepository(disk.folder);
    if (before.isAcquired) before.lock.release();
    rmSync(join(disk.folder, "host.json"));
    disk.fill();
    expect(() => lockRepository(disk.folder)).toThrow(/no space|full|I\/O/iu);
    disk.makeRoom();
    const answer = lockRepository(disk.folder);
    expect(answer.isAcquired).toBe(true);
    if (answer.isAcquired) answer.lock.release();
  } finally {
    disk.remove();
  }
});

test("a process that cannot write its record does not get the lock", () => {
  mkdirSync(join(folder, "host.json"));
  expect(() => lockRepository(folder)).toThrow("EISDIR");
  rmSync(join(folder, "host.json"), { recursive: true });
  const answer = lockRepository(folder);
  expect(answer.isAcquired).toBe(true);
  if (answer.isAcquired) answer.lock.release();
});
