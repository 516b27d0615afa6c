import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JjError } from "../jj/process/errors.ts";
import { ModelError } from "../model/model-error.ts";
import { type LogLevel, log, logFolder, openLogFile, readLogTail } from "./log.ts";

let folder: string;
let closings: (() => void)[];
const open = (options?: { minLevel?: LogLevel; maxBytes?: number }): void => {
  closings.push(openLogFile(folder, (text) => text.replaceAll("sk-planted-key", "[redacted]"), options));
};
const logged = (): string => readLogTail(folder, 1_000).join("\n");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-log-"));
  closings = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of closings) close();
  rmSync(folder, { recursive: true, force: true });
});

describe("log", () => {
  it("writes level, event and fields, and only to files that are open", () => {
    log.warn("before it is open");
    open();
    log.info("command", { command: "run.start", ms: 12, worker: null });
    log.debug("jj", { command: "log" });
    expect(readLogTail(folder, 10)).toEqual([
      expect.stringMatching(
        /^\d{4}-\d\d-\d\dT[\d:.]+Z info {2}\d+ command command=run\.start ms=12 worker=null$/u,
      ),
    ]);
    for (const close of closings) close();
    log.error("after it was closed");
    expect(logged()).not.toMatch(/before|after/u);
  });

  it("writes details when the level is debug", () => {
    open({ minLevel: "debug" });
    log.debug("jj", { command: "log" });
    expect(logged()).toMatch(/debug \d+ jj command=log$/u);
  });

  it("rotates a full file, keeps four older ones, and only the user can read them", () => {
    open({ maxBytes: 200 });
    for (let at = 0; at < 40; at++) log.info(`event-${at}`);
    const files = readdirSync(logFolder(folder)).toSorted();
    expect(files).toEqual(["hox.1.log", "hox.2.log", "hox.3.log", "hox.4.log", "hox.log"]);
    for (const name of files) {
      const { size, mode } = statSync(join(logFolder(folder), name));
      expect(size).toBeLessThan(300);
      if (process.platform !== "win32") expect(mode & 0o077).toBe(0);
    }
    const numbers = readLogTail(folder, 12).map((line) => Number(line.split("-").at(-1)));
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, at) => 28 + at));
  });

  it("prints once that it cannot be written, and keeps the host running", () => {
    open();
    const print = vi.spyOn(console, "error").mockImplementation(() => undefined);
    rmSync(folder, { recursive: true });
    log.info("one");
    log.info("two");
    expect(print.mock.calls).toEqual([[expect.stringMatching(/^Hox: could not write the log: ENOENT/u)]]);
  });
});

describe("an entry", () => {
  it("names an error by kind, message and frames", () => {
    open();
    log.error("failed", { error: new TypeError("undefined is not a function") });
    log.warn("jj failed", {
      error: new JjError({ kind: "stale", message: "The working copy is stale", exitCode: 1 }),
    });
    expect(logged()).toContain('failed error=TypeError message="undefined is not a function"\n  at ');
    expect(logged()).toMatch(
      /jj failed error=JjError kind=stale exitCode=1 message="The working copy is stale"$/u,
    );
  });

  it("holds no key, and nothing that an error quotes from a file, a prompt or an answer", () => {
    open();
    const parsed = (() => {
      try {
        return JSON.parse("planted file content");
      } catch (error) {
        return error;
      }
    })();
    log.error("a", { error: parsed });
    log.error("b", { error: new ModelError("invalid-request", "messages.0: planted prompt") });
    log.error("c", {
      error: new Error('Cannot apply "planted edit" to `planted line`\nplanted second line'),
    });
    log.error("d", {
      error: new Error("The key sk-planted-key is wrong"),
      what: 'Pattern "planted name" is lost',
    });
    log.error("e", { error: "planted text that was thrown" });
    const text = readFileSync(join(logFolder(folder), "hox.log"), "utf8");
    expect(text).not.toContain("planted");
    expect(text).toContain("b error=ModelError kind=invalid-request");
    expect(text).toContain('c error=Error message="Cannot apply … to …"');
    expect(text).toContain('d error=Error message="The key [redacted] is wrong"');
    expect(text).toContain('what="Pattern … is lost"');
  });
});
