import fc from "fast-check";
import { expect, test } from "vitest";
import { aChange } from "../testing/kit.ts";
import type { Change } from "./change.ts";
import { searchChanges } from "./search-changes.ts";

const change = (at: number, description: string, metadata: Change["metadata"] = {}): Change =>
  aChange(`k${"lmnopqrs"[at] ?? "z"}`.padEnd(32, "k"), {
    ...{ commitId: `c${at}`.padEnd(40, "0"), description, metadata },
    author: { name: "Ada", email: "ada@example.org" },
  });
const changes = [
  change(0, "Profile client\n\nAsks the server."),
  change(1, "Profile API", { agent: "agent-7" }),
  change(2, "Storage"),
];
const refs = { bookmarks: { release: [changes[2]?.commitId ?? ""] }, workspaces: {} };
const found = (...words: readonly string[]): number[] => {
  const commits = searchChanges({ changes, refs }, words, touching);
  return changes.flatMap(({ commitId }, at) => (commits.has(commitId) ? [at] : []));
};
let touching = new Map<string, Set<string>>();

test("a word is found in titles, descriptions, agents, authors, names and the beginning of ids", () => {
  expect(found("profile")).toEqual([0, 1]);
  expect(found("server")).toEqual([0]);
  expect(found("agent-7")).toEqual([1]);
  expect(found("ada")).toEqual([0, 1, 2]);
  expect(found("release")).toEqual([2]);
  expect(found("kmkk")).toEqual([1]);
  expect(found("km"), "too short for an id").toEqual([]);
});

test("all words have to occur, each anywhere, in the path of a file too", () => {
  expect(found("profile", "client")).toEqual([0]);
  touching = new Map([["rows.ts", new Set([changes[2]?.commitId ?? ""])]]);
  expect(found("rows.ts")).toEqual([2]);
  expect(found("storage", "rows.ts")).toEqual([2]);
  expect(found("profile", "rows.ts")).toEqual([]);
});

test("more words never find more", () => {
  const word = fc.constantFrom("profile", "client", "agent", "s", "ada", "release", "x");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), word, (words, more) => {
      const fewer = found(...words, more);
      expect(found(...words)).toEqual(expect.arrayContaining(fewer));
    }),
  );
});
