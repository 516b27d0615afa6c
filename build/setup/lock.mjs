import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/** @param {string} path */
function owner(path) {
  try {
    return Number.parseInt(readFileSync(path, "utf8"), 10);
  } catch {
    return undefined;
  }
}

/**
 * One at a time per lock file, across processes. A lock whose owner is gone is taken over: it is moved away
 * first, and only one of several waiting processes succeeds in moving it.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @param {() => void} [onWait] called once when someone else holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(path, work, onWait) {
  mkdirSync(dirname(path), { recursive: true });
  for (let hasNotified = false; ; ) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: "wx" });
      break;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    }
    const pid = owner(path);
    // NaN: the owner has made the file and not yet written its number into it.
    if (pid !== undefined && !Number.isNaN(pid) && !isAlive(pid)) {
      const stale = `${path}.${process.pid}`;
      try {
        renameSync(path, stale);
        if (owner(stale) === pid) rmSync(stale, { force: true });
        else renameSync(stale, path);
      } catch {
        // Another process was quicker; look again.
      }
      continue;
    }
    if (!hasNotified) onWait?.();
    hasNotified = true;
    await wait(200);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
