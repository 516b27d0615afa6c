import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentFilesProblem, leadsOut, type SentFile, sentFilesProblem } from "./sent-files.ts";

const oid = "a".repeat(40);
const file = (path: string, more: Partial<SentFile> = {}): SentFile => ({
  path,
  mode: "100644",
  oid,
  bytes: 1,
  ...more,
});

describe("sentFilesProblem", () => {
  it.each([
    ".git/config",
    "src/.git",
    "src/.GIT/hooks/x",
    "git~1/config",
    ".git. /x",
    "../out",
    "/etc/passwd",
    "a//b",
    "a/./b",
    "",
  ])("refuses %j", (path) => {
    expect(sentFilesProblem([file(path)])).not.toBeNull();
  });

  it("refuses nested repositories, sockets and modes that no file has", () => {
    for (const mode of ["160000", "040000", "100600", "x"])
      expect(sentFilesProblem([file("a", { mode })])).toContain("neither a file nor a link");
  });

  it("refuses one path twice, and a file without a size", () => {
    expect(sentFilesProblem([file("a"), file("a")])).toContain("twice");
    expect(sentFilesProblem([file("a", { bytes: -1 })])).toContain("no size");
  });

  it("refuses a path that is a file and a folder", () => {
    expect(sentFilesProblem([file("a"), file("a/b")])).toContain("as a file and as a folder");
    expect(sentFilesProblem([file("a", { mode: null, oid: null, bytes: 0 }), file("a/b")])).toBeNull();
  });

  it("accepts ordinary files", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,8}$/u);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.array(name, { minLength: 2, maxLength: 2 }), { maxLength: 9 }),
        (paths) => {
          const files = [...new Set(paths.map((parts) => `d/${parts.join("/")}`))].map((path) => file(path));
          expect(sentFilesProblem(files)).toBeNull();
          expect(agentFilesProblem(files)).toBeNull();
        },
      ),
    );
  });
});

describe("agentFilesProblem", () => {
  it("refuses too many files, too many bytes, and long paths", () => {
    const limits = { files: 2, bytesPerFile: 10, bytes: 15, pathLength: 100 };
    expect(agentFilesProblem([file("a"), file("b"), file("c")], limits)).toContain("3 files");
    expect(agentFilesProblem([file("a", { bytes: 11 })], limits)).toContain("11 bytes");
    expect(agentFilesProblem([file("a", { bytes: 8 }), file("b", { bytes: 8 })], limits)).toContain(
      "16 bytes",
    );
    expect(agentFilesProblem([file("a".repeat(101))], limits)).toContain("100 characters");
  });

  it.each([".jj/repo", "deep/.jj", "x/.JJ/y", "a\\..\\b"])("refuses %j", (path) => {
    expect(agentFilesProblem([file(path)])).not.toBeNull();
  });
});

describe("leadsOut", () => {
  it.each([
    ["link", "/etc/passwd"],
    ["link", ".."],
    ["a/link", "../../x"],
    ["a/link", "b/../../../x"],
    // Where x/y/d leads to ../.., this one leads out.
    ["x/y/e", "d/../../etc"],
    ["x/y/e", "../y/d/.."],
    ["link", "C:\\x"],
    ["link", ""],
  ])("says that %j to %j leads out", (path, target) => expect(leadsOut(path, target)).toBe(true));

  it.each([
    ["link", "a"],
    ["a/link", "../b"],
    ["a/b/link", "./../../c/d"],
    ["x/y/d", "../.."],
  ])("says that %j to %j stays inside", (path, target) => expect(leadsOut(path, target)).toBe(false));
});
