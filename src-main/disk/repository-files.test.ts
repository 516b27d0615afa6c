import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { namesInRepository, readBoundedFile, readRepositoryFile, writablePath } from "./repository-files.ts";

let root = "";
let outside = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hox-repository-"));
  outside = mkdtempSync(join(tmpdir(), "hox-outside-"));
  writeFileSync(join(outside, "secret.md"), "secret");
  mkdirSync(join(root, "docs"));
  writeFileSync(join(root, "docs", "purpose.md"), "in the repository");
  symlinkSync("docs/purpose.md", join(root, "inner.md"));
  symlinkSync(join(outside, "secret.md"), join(root, "leak.md"));
  symlinkSync(outside, join(root, "folder"));
  symlinkSync("/dev/zero", join(root, "zero"));
  symlinkSync("loop", join(root, "loop"));
  execFileSync("mkfifo", [join(root, "pipe")]);
});

describe("readRepositoryFile", () => {
  it("reads files, and through links that stay inside", () => {
    expect(readRepositoryFile(root, "docs/purpose.md", 100)).toBe("in the repository");
    expect(readRepositoryFile(root, "inner.md", 100)).toBe("in the repository");
    expect(readRepositoryFile(root, "absent.md", 100)).toBeNull();
    expect(readRepositoryFile(root, "docs/purpose.md/absent", 100)).toBeNull();
  });

  it.each([
    ["leak.md", "points outside the repository"],
    ["folder/secret.md", "points outside the repository"],
    ["../outside", null],
    ["zero", "points outside the repository"],
    ["loop", "is a link to itself"],
    ["pipe", "is not a regular file"],
    ["docs", "is not a regular file"],
  ])("refuses %s, without waiting", (path, why) => {
    if (why === null) expect(readRepositoryFile(root, path, 100)).toBeNull();
    else expect(() => readRepositoryFile(root, path, 100)).toThrow(why);
  });

  it("refuses a path with dots that leads outside", () => {
    const name = outside.split("/").at(-1);
    expect(() => readRepositoryFile(root, `../${name}/secret.md`, 100)).toThrow(
      "points outside the repository",
    );
  });

  it("refuses a file that is larger than its limit", () => {
    expect(() => readRepositoryFile(root, "docs/purpose.md", 16)).toThrow("is larger than");
    expect(readRepositoryFile(root, "docs/purpose.md", 17)).toBe("in the repository");
  });
});

it("readBoundedFile ends at its limit when a device has no size", () => {
  expect(() => readBoundedFile("/dev/zero", 100)).toThrow("is not a regular file");
  // A regular file that says it is empty.
  if (process.platform === "linux") expect(readBoundedFile("/proc/self/status", 100_000)).toContain("\nPid:");
});

it("namesInRepository lists nothing behind a link that leads outside", () => {
  expect(namesInRepository(root, "docs")).toEqual(["purpose.md"]);
  expect(namesInRepository(root, "folder")).toEqual([]);
  expect(namesInRepository(root, "absent")).toEqual([]);
});

describe("writablePath", () => {
  it("returns where a file is or may be", () => {
    expect(writablePath(root, "docs/purpose.md")).toBe(join(root, "docs/purpose.md"));
    expect(writablePath(root, "new/folder/file.md")).toBe(join(root, "new/folder/file.md"));
  });

  it.each(["leak.md", "inner.md", "folder/new.md", "folder/new/deep.md", "pipe", "docs"])(
    "refuses %s",
    (path) => {
      expect(() => writablePath(root, path)).toThrow();
    },
  );
});
