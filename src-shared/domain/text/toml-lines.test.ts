import { describe, expect, it } from "vitest";
import { tomlCode, tomlHeader } from "./toml-lines.ts";

describe("tomlHeader", () => {
  it.each([
    ["[gates]", { name: "gates", isList: false }],
    ["  [ workspace.caches ] # why", { name: "workspace.caches", isList: false }],
    ["[[hooks]]", { name: "hooks", isList: true }],
    ["[[ hooks ]", { name: "hooks", isList: false }],
    ["[]", null],
    ["[\t\t\t", null],
    ["key = [1]", null],
  ])("reads %s", (line, header) => {
    expect(tomlHeader(line)).toEqual(header);
  });
});

describe("tomlCode", () => {
  it("leaves out a comment, and keeps quoted text that looks like one", () => {
    expect(tomlCode(`key = "a # b" # c`)).toBe(`key = "a # b" `);
    expect(tomlCode(String.raw`key = "a \" # b"`)).toBe(String.raw`key = "a \" # b"`);
    expect(tomlCode("key = 'a \\' # b")).toBe("key = 'a \\' ");
    expect(tomlCode(`key = ["[", 1] # ]`, { withTexts: false })).toBe("key = [, 1] ");
  });
});
