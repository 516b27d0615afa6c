import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RecentRepositories } from "./recent-repositories.ts";

it("keeps repositories when many rehearsals follow, and restores a removed one at its position", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hox-recent-"));
  try {
    const read = () => RecentRepositories.read(folder, (path) => path.startsWith("/rehearsals/"));
    const recent = await read();
    for (const [at, path] of ["/a", "/b", "/c"].entries()) await recent.add(path, at);
    for (let at = 0; at < 25; at++) await recent.add(`/rehearsals/one-${at}`, 100 + at);
    const repositories = async () =>
      (await read())
        .list()
        .filter(({ isRehearsal }) => !isRehearsal)
        .map(({ path }) => path);
    expect(await repositories()).toEqual(["/c", "/b", "/a"]);
    expect(recent.list()).toHaveLength(23);
    expect(recent.list()[0]).toMatchObject({ path: "/rehearsals/one-24", isRehearsal: true, exists: false });

    await recent.forget("/b");
    expect(await repositories()).toEqual(["/c", "/a"]);
    await recent.restore("/b");
    await recent.restore("/never-there");
    expect(await repositories()).toEqual(["/c", "/b", "/a"]);

    await recent.forget("/b");
    await recent.add("/b", 500);
    await recent.restore("/b");
    expect(await repositories()).toEqual(["/b", "/c", "/a"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("keeps what other hosts add at the same time", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hox-recent-"));
  try {
    const read = () => RecentRepositories.read(folder, () => false);
    const hosts = await Promise.all(["/a", "/b", "/c"].map(async (path) => ({ path, recent: await read() })));
    await Promise.all(hosts.map(({ path, recent }, at) => recent.add(path, at)));
    expect((await read()).list().map(({ path }) => path)).toEqual(["/c", "/b", "/a"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
