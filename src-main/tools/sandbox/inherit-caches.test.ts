import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { tempDir } from "../../testing/kit.ts";
import { inheritCaches } from "./layers.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

const { signal } = new AbortController();

/** One layer of a workspace, as commands leave it. */
async function upper(workspace: string, layer: string): Promise<string> {
  const place = join(folder, `${workspace}.layers`, layer, "upper");
  await mkdir(place, { recursive: true });
  return place;
}

// Layers are Linux's.
const itWithLayers = it.skipIf(process.platform !== "linux");

itWithLayers("a workspace gets what another one fetched, beside what it has", async () => {
  const from = await upper("from", "registry");
  await mkdir(join(from, "cache"));
  await writeFile(join(from, "cache", "new.crate"), "new");
  await writeFile(join(from, "index"), "newer");
  await writeFile(join(folder, "from.layers", "registry", "work"), "");
  const own = await upper("from", "packages");
  await writeFile(join(own, "left-pad"), "");
  await writeFile(join(own, "..", "layer.json"), "{}");
  const to = await upper("to", "registry");
  await mkdir(join(to, "cache"));
  await writeFile(join(to, "cache", "old.crate"), "old");
  await writeFile(join(to, "index"), "older");

  await inheritCaches(join(folder, "from"), join(folder, "to"), signal);
  expect(await readFile(join(to, "cache", "new.crate"), "utf8")).toBe("new");
  expect(await readFile(join(to, "cache", "old.crate"), "utf8")).toBe("old");
  expect(await readFile(join(to, "index"), "utf8")).toBe("newer");
  // A folder of the workspace itself is brought with that.
  expect(existsSync(join(folder, "to.layers", "packages"))).toBe(false);
});

itWithLayers("no name that an agent left there leads out of it", async () => {
  const outside = join(folder, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "file"), "mine");
  const from = await upper("from", "registry");
  await writeFile(join(from, "index"), "fetched");
  const to = await upper("to", "registry");
  await symlink(join(outside, "file"), join(to, "index"));
  await inheritCaches(join(folder, "from"), join(folder, "to"), signal);
  expect(await readFile(join(outside, "file"), "utf8")).toBe("mine");
  expect(await readFile(join(to, "index"), "utf8")).toBe("fetched");

  await mkdir(join(from, "cache"));
  await writeFile(join(from, "cache", "planted"), "fetched");
  await symlink(outside, join(to, "cache"));
  await expect(inheritCaches(join(folder, "from"), join(folder, "to"), signal)).rejects.toThrow();
  expect(existsSync(join(outside, "planted"))).toBe(false);
});
