import { describe, expect, it } from "vitest";
import { TomlMistake, tomlData, tomlLines, withTomlValue } from "./toml.ts";

describe("tomlData", () => {
  it("names line and column of a mistake, whatever the parser throws", () => {
    expect(() => tomlData("a = 1\nb = [1,\n")).toThrow(expect.objectContaining({ line: 2, column: 5 }));
    expect(() => tomlData(`a = ${"[".repeat(60_000)}`)).toThrow(TomlMistake);
  });

  it("refuses a key of endless parts at once, and changes no prototype", () => {
    const start = performance.now();
    expect(() => tomlData(`a${".a".repeat(100_000)} = 1`)).toThrow("too many parts");
    expect(() => tomlData(`x = "${"One. Two words. ".repeat(1_000)}"`)).not.toThrow();
    expect(performance.now() - start).toBeLessThan(5_000);
    tomlData("[__proto__]\nplanted = 1\n");
    expect(({} as Record<string, unknown>).planted).toBeUndefined();
  });
});

describe("tomlLines", () => {
  it.each([
    [["gates", "plan"], 2],
    [["gates", "lost"], 1],
    [["budget", "usd"], 4],
    [["list", 2], 9],
    [["hooks", 1, "command"], 14],
    [["hooks", 1, "lost"], 13],
    [["inline", "key"], 16],
    [["lost"], 1],
  ] as const)("finds %j on line %i", (path, line) => {
    const text = `[gates]
plan = "ask" # [list]
[budget]
usd = 3

[x]
list = [
  "]", "[",
  "a",
]
[[hooks]]
command = "a"
[[hooks]]
command = "b"
[y]
inline = { key = 1 }
`;
    const at = tomlLines(text);
    const prefix = path[0] === "list" ? ["x"] : path[0] === "inline" ? ["y"] : [];
    expect(at([...prefix, ...path])).toBe(line);
  });
});

describe("withTomlValue", () => {
  it.each([
    ["a table that is missing", "a = 1", ["t", "k"], true, "a = 1\n\n[t]\nk = true\n"],
    [
      "a key that is missing",
      "[t]\na = 1 # one\n\n# next\n[u]\n",
      ["t", "k"],
      2,
      "[t]\na = 1 # one\nk = 2\n\n# next\n[u]\n",
    ],
    ["a key of an empty table", "[t] # mine\n[u]\n", ["t", "k"], 2, "[t] # mine\nk = 2\n[u]\n"],
    ["a value", "k = [ 1 ] # why\n", ["k"], [2], "k = [2] # why\n"],
    ["an item at the end", 'k = ["a"] # why\n', ["k", 1], "b", 'k = ["a", "b"] # why\n'],
    [
      "an item on a line",
      'k = [\r\n  "a" # one\r\n]\r\n',
      ["k", 1],
      "b",
      'k = [\r\n  "a", # one\r\n  "b",\r\n]\r\n',
    ],
    ["a value of an inline table", "t = { k = 1 }\n", ["t", "k"], 2, "t = { k = 2 }\n"],
    ["a table of a list", "[[l]]\nk = 1\n", ["l", 1, "k"], 2, "[[l]]\nk = 1\n\n[[l]]\nk = 2\n"],
    [
      "a key in a table of a list",
      "[[l]]\nk = 1\n[[l]]\nk = 1\n",
      ["l", 1, "k"],
      2,
      "[[l]]\nk = 1\n[[l]]\nk = 2\n",
    ],
  ])("sets %s and changes nothing else", (_name, before, path, value, after) => {
    expect(withTomlValue(before, path, value)).toBe(after);
  });

  it("answers null where the text has another form", () => {
    expect(withTomlValue("l = [{ k = 1 }]\n", ["l", 1, "k"], 2)).toBeNull();
    expect(withTomlValue("t = { a = 1 }\n", ["t", "k"], 2)).toBeNull();
  });
});
