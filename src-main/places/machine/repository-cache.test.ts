import { appendFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRepositoryCache, removeUnusedCaches } from "./repository-cache.ts";

test("a cache that got nothing for a month is removed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hox-caches-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await openRepositoryCache(join(folder, "one"), "");
  await appendFile(join(folder, "one", "commits"), `${"a".repeat(40)}\n`);
  const day = 24 * 60 * 60_000;
  await removeUnusedCaches(folder, Date.now() + 29 * day);
  expect(await readdir(folder)).toEqual(["one"]);
  await removeUnusedCaches(folder, Date.now() + 31 * day);
  expect(await readdir(folder)).toEqual([]);
});
