import { expect, test } from "vitest";
import { answersTo, paletteRank } from "./palette.tsx";

const reports = { title: "Reports", words: ["show", "page", "cost", "time", "model"] };
const shop = { title: "Go to shop", words: ["repository", "switch"] };
const rankOf = (typed: string, { title, words }: typeof shop): number => paletteRank(title, typed, words);

test("finds nothing by letters picked from anywhere", () => {
  const cases = [
    ["undo", "Watch the rehearsal: Two ways to write an amount", "tour demo"],
    ["cost", "Close this repository", "switch"],
    ["shop", reports.title, reports.words.join(" ")],
  ] as const;
  for (const [typed, title, words] of cases)
    expect(paletteRank(title, typed, words.split(" ")), `${typed} in ${title}`).toBe(0);
  expect(rankOf("cost", reports), "a keyword").toBeGreaterThan(0);
  expect(rankOf("shop", shop)).toBeGreaterThan(0.8);
});

test("finds a command by several words in any order, in its title and its keywords", () => {
  const pause = ["Pause agent-2: Profile API", ["stop", "kill", "agent"]] as const;
  for (const typed of ["stop agent", "kill agent", "agent-2 stop", "stop prof"])
    expect(paletteRank(pause[0], typed, pause[1]), typed).toBeGreaterThan(0);
  expect(paletteRank(pause[0], "stop repository", pause[1])).toBe(0);
  expect(paletteRank("Stop the run", "the stop")).toBeGreaterThan(
    paletteRank(pause[0], "stop agent", pause[1]),
  );
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

test("finds a command by the first letters of its words", () => {
  expect(paletteRank("Go to the report", "gtr")).toBeGreaterThan(0);
  expect(rankOf("model", reports)).toBeGreaterThan(0);
});

test("ranks matches, leaves out the rest, and keeps all without a search", () => {
  const commands = [
    "Measure the panel…",
    "Show or hide the inspector",
    "Recorded runs…",
    "Nothing",
    "Replay",
  ];
  const searchText = (title: string) => ({ title, words: title === "Replay" ? ["recorded"] : [] });
  expect(answersTo(" ", commands, searchText)).toEqual({ rank: 0, entries: commands });
  const { rank, entries } = answersTo("recorded", commands, searchText);
  expect(rank).toBe(1);
  expect(entries.slice(0, 2)).toEqual(["Recorded runs…", "Replay"]);
  expect(entries).not.toContain("Nothing");
  expect(answersTo("recorded", ["Nothing"], searchText)).toEqual({ rank: 0, entries: [] });
});
