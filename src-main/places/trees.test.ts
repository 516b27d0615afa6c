import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { addBlob, blobId, contentsOf, makeObjectStore } from "./trees.ts";

async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), "hox-trees-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return makeObjectStore(join(folder, "objects.git"), { exclude: "" });
}

describe("addBlob", () => {
  it("adds one content several times at once", async () => {
    const store = await openStore();
    const bytes = Buffer.alloc(500_000, "text of a file\n");
    const oid = blobId(bytes);
    await Promise.all(Array.from({ length: 8 }, () => addBlob(store, oid, bytes)));
    expect(await contentsOf(store, [oid])).toEqual([{ oid, bytes }]);
  });
});
