import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderSize } from "./copy-folder.ts";

test("a folder's size is its content's, and unknown when it is gone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hox-size-"));
  const { signal } = new AbortController();
  const empty = await folderSize(folder, signal);
  mkdirSync(join(folder, "inner"));
  writeFileSync(join(folder, "inner", "data"), Buffer.alloc(3_000_000, "x"));
  const full = await folderSize(folder, signal);
  expect((full ?? 0) - (empty ?? 0)).toBeGreaterThanOrEqual(3_000_000);
  expect((full ?? 0) - (empty ?? 0)).toBeLessThan(3_200_000);
  rmSync(folder, { recursive: true });
  expect(await folderSize(folder, signal)).toBeNull();
  expect(await folderSize(tmpdir(), AbortSignal.abort())).toBeNull();
});
