import { existsSync } from "node:fs";
import { cp, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HostState } from "./api/host-state.ts";
import { repositoryStateFolder } from "./config/state-folder.ts";
import { createHostState } from "./host.ts";
import { initPlain } from "./jj/init.ts";
import { createTestRepository, type TestRepository } from "./jj/testing/create-test-repository.ts";
import { tempDir } from "./testing/kit.ts";

let state: string;
let repo: TestRepository;
let hosts: HostState[];

beforeEach(async () => {
  state = tempDir();
  repo = await createTestRepository();
  hosts = [];
});
afterEach(async () => {
  for (const host of hosts) await host.close();
  await repo.remove();
});

async function host(): Promise<HostState> {
  const made = await createHostState({ shell: "browser", version: "1", stateFolder: state });
  hosts.push(made);
  return made;
}

test("a repository renamed under its host is reopened there with the same state, and stays its host's alone", async () => {
  const first = await host();
  const { root } = repo.repository;
  await first.open(root);
  const folder = repositoryStateFolder(state, root);
  await writeFile(join(folder, "kept"), "");

  const moved = join(repo.folder, "renamed");
  await rename(root, moved);
  expect(repositoryStateFolder(state, moved)).toBe(folder);
  const second = await host();
  await second.open(moved);
  expect(second.opened().view().lockedBy).toContain(`process ${process.pid}`);
  // The first one cannot look on where nothing is any more, and lets go all the same.
  await second.takeOver();
  expect(second.opened().engine).not.toBeNull();
  await second.closeRepository();

  await first.open(moved);
  const again = join(repo.folder, "renamed-again");
  await rename(moved, again);
  await first.open(again);
  expect(first.opened().engine).not.toBeNull();
  expect([root, moved].map(existsSync)).toEqual([false, false]);
  await first.closeRepository();

  // Whoever comes to the old place, or is a copy of what is there, begins with nothing.
  const copy = join(repo.folder, "copy");
  await cp(again, copy, { recursive: true });
  await mkdir(root);
  await initPlain(root, { colocate: false });
  for (const other of [copy, root]) {
    await first.open(other);
    expect(existsSync(join(repositoryStateFolder(state, other), "kept"))).toBe(false);
  }
  expect(new Set([again, copy, root].map((one) => repositoryStateFolder(state, one))).size).toBe(3);
  await first.closeRepository();
  expect(repositoryStateFolder(state, again)).toBe(folder);
});
