import { mkdtemp, open, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { addBlob, blobId, contentsOf, makeObjectStore } from "./trees.ts";

async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), "hox-trees-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return makeObjectStore(join(folder, "objects.git"), { exclude: "" });
}

describe("makeObjectStore", () => {
  it("leaves the files of a store as they are, and replaces one that differs as a whole", async () => {
    const { gitFolder } = await openStore();
    const numberOf = async (name: string) => (await stat(join(gitFolder, name))).ino;
    const before = [await numberOf("config"), await numberOf("info/exclude")];
    await makeObjectStore(gitFolder, { exclude: "" });
    expect([await numberOf("config"), await numberOf("info/exclude")]).toEqual(before);
    const reader = await open(join(gitFolder, "info/exclude"));
    await makeObjectStore(gitFolder, { exclude: "*.log\n" });
    expect(await reader.readFile("utf8")).toBe(".jj\n");
    await reader.close();
    expect(await readFile(join(gitFolder, "info/exclude"), "utf8")).toBe(".jj\n*.log\n");
  });
});

describe("addBlob", () => {
  it("adds one content several times at once", async () => {
    const store = await openStore();
    const bytes = Buffer.alloc(500_000, "text of a file\n");
    const oid = blobId(bytes);
    await Promise.all(Array.from({ length: 8 }, () => addBlob(store, oid, bytes)));
    expect(await contentsOf(store, [oid])).toEqual([{ oid, bytes }]);
  });
});
