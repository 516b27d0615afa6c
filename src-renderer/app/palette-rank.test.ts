import { defaultFilter } from "cmdk";
import { expect, test } from "vitest";
import { answersTo, paletteRank } from "./palette-rank.ts";

const reports = { title: "Reports", words: ["show", "page", "cost", "time", "model"] };
const shop = { title: "Go to shop", words: ["repository", "switch"] };
const rankOf = (typed: string, { title, words }: typeof shop): number => paletteRank(title, typed, words);

test("the name of a repository stands above letters that can be picked from other commands", () => {
  // What the library makes of it by itself.
  expect(defaultFilter(reports.title, "shop", reports.words)).toBeGreaterThan(0);
  expect(rankOf("shop", shop)).toBeGreaterThan(rankOf("shop", reports));
  expect(rankOf("sh", shop)).toBeGreaterThan(rankOf("sh", reports));
});

test("a beginning comes before a word, a word before a part of one, and a name before keywords", () => {
  const ranks = [
    paletteRank("Stop the run", "stop"),
    paletteRank("Ask to stop", "stop"),
    paletteRank("Nonstop", "stop"),
    paletteRank("End the run", "stop", ["stop", "cancel"]),
    paletteRank("Show the open page", "stop"),
    paletteRank("Plan", "stop"),
  ];
  expect([...ranks].sort((one, other) => other - one)).toEqual(ranks);
  expect(new Set(ranks).size).toBe(ranks.length);
  expect(ranks.at(-1)).toBe(0);
});

test("letters alone still find what is meant", () => {
  expect(paletteRank("Go to the report", "gtr")).toBeGreaterThan(0);
  expect(rankOf("model", reports)).toBeGreaterThan(0);
});

test("what answers stands in the order of its rank, the rest is left out, and without words all stay", () => {
  const commands = [
    "Measure the panel…",
    "Show or hide the inspector",
    "Recorded runs…",
    "Nothing",
    "Replay",
  ];
  const wordsOf = (title: string) => ({ title, words: title === "Replay" ? ["recorded"] : [] });
  expect(answersTo(" ", commands, wordsOf)).toEqual({ rank: 0, entries: commands });
  const { rank, entries } = answersTo("recorded", commands, wordsOf);
  expect(rank).toBe(1);
  expect(entries.slice(0, 2)).toEqual(["Recorded runs…", "Replay"]);
  expect(entries).not.toContain("Nothing");
  expect(answersTo("recorded", ["Nothing"], wordsOf)).toEqual({ rank: 0, entries: [] });
});
