import { describe, expect, test } from "vitest";
import { bookmarkNameProblem } from "./bookmark-name.ts";

describe("the name of a bookmark", () => {
  test.each(["main", "feature/x", "fix#12", "日本/語", "a--b", "v1.2", "a@b", "it's"])(
    "may be %s",
    (name) => {
      expect(bookmarkNameProblem(name)).toBeNull();
    },
  );

  test.each([
    "",
    "a b",
    "a\u0007b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "a@{b",
    "a..b",
    "@",
    "HEAD",
    "-x",
    "/a",
    "a//b",
    "a/",
    "a.",
    ".a",
    "a/.b",
    "a.lock",
    "a.lock/b",
  ])("may not be %j", (name) => {
    expect(bookmarkNameProblem(name)).not.toBeNull();
  });
});
