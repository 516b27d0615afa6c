import { mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeOldLogs } from "./old-logs.ts";

test("old logs are removed, and the oldest others when they take too much; nothing else is touched", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hox-logs-"));
  const now = Date.now();
  const log = (name: string, daysAgo: number, bytes: number): void => {
    const path = join(folder, name);
    writeFileSync(path, "");
    truncateSync(path, bytes);
    utimesSync(path, new Date(), new Date(now - daysAgo * 86_400_000));
  };
  log("old.log", 15, 10);
  log("recent.log", 13, 10);
  log("large-1.log", 3, 600_000_000);
  log("large-2.log", 2, 600_000_000);
  log("newest.log", 0, 10);
  log("notes.txt", 100, 10);
  expect(await removeOldLogs(folder, now)).toBe(3);
  expect(readdirSync(folder).toSorted()).toEqual(["large-2.log", "newest.log", "notes.txt"]);
  expect(await removeOldLogs(join(folder, "none"), now)).toBe(0);
  rmSync(folder, { recursive: true });
});
