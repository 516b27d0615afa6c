import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { missingFolder } from "../jj/process/op-heads.ts";
import { createTestRepository } from "../jj/testing/create-test-repository.ts";
import { tempDir } from "../testing/kit.ts";
import { isRepositoryOf, storeOf } from "./repository-note.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

/** A workspace whose `.jj/repo` is made by `make`. */
function workspace(name: string, make: (pointer: string) => void): string {
  const root = join(folder, name);
  mkdirSync(join(root, ".jj"), { recursive: true });
  make(join(root, ".jj", "repo"));
  return root;
}

test("the store is found where jj says, also for a secondary workspace in a folder with an odd name", async () => {
  const repo = await createTestRepository();
  try {
    const { root } = repo.repository;
    const odd = join(folder, "ends in a space ");
    renameSync(root, odd);
    await repo.terminal(["workspace", "add", join(folder, "second")], { cwd: odd });
    const store = join(odd, ".jj", "repo");
    expect([storeOf(odd), storeOf(join(folder, "second"))]).toEqual([store, store]);
    expect(missingFolder(join(folder, "second"))).toBeNull();
    renameSync(odd, root);
    expect(storeOf(join(folder, "second"))).toBe(store);
    expect(missingFolder(join(folder, "second"))).toBe(odd);
  } finally {
    await repo.remove();
  }
});

test("a link, a pipe or an endless file in its place is not followed, waited for or read", () => {
  const real = workspace("real", (pointer) =>
    mkdirSync(join(pointer, "op_store", "operations", "ab"), { recursive: true }),
  );
  const store = join(real, ".jj", "repo");
  const note = { root: real, operation: "ab" };
  expect(isRepositoryOf(note, real)).toBe(true);
  const plants = {
    link: (pointer: string) => symlinkSync(store, pointer),
    "link to a file": (pointer: string) => {
      writeFileSync(join(folder, "path"), store);
      symlinkSync(join(folder, "path"), pointer);
    },
    nothing: () => undefined,
    empty: (pointer: string) => writeFileSync(pointer, ""),
    long: (pointer: string) => writeFileSync(pointer, "a".repeat(40_000)),
    "no text": (pointer: string) => writeFileSync(pointer, Buffer.from([0x2f, 0xff, 0xfe])),
    "a byte 0": (pointer: string) => writeFileSync(pointer, `${store}\0`),
    ...(process.platform === "win32"
      ? {}
      : { pipe: (pointer: string) => void execFileSync("mkfifo", [pointer]) }),
  };
  for (const [name, plant] of Object.entries(plants)) {
    const root = workspace(name, plant);
    expect([name, storeOf(root), isRepositoryOf(note, root), missingFolder(root)]).toEqual([
      name,
      null,
      false,
      null,
    ]);
  }
  const linked = join(folder, "linked");
  mkdirSync(linked);
  symlinkSync(join(real, ".jj"), join(linked, ".jj"));
  expect(storeOf(linked)).toBeNull();
});
