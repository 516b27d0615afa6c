import { describe, expect, it } from "vitest";
import { plainJson } from "./resolve-javascript.ts";

describe("plainJson", () => {
  it("leaves out comments and trailing commas, and keeps quoted text", () => {
    const text = `\ufeff{
      // a comment, with "quotes"
      "a": [1, 2, /* none, */ ], /* } */
      "b//c": "d /* e */ , ]\\" ,}", // the last
      "f": { "g": 1, } ,
    }`;
    expect(JSON.parse(plainJson(text))).toEqual({ a: [1, 2], "b//c": 'd /* e */ , ]" ,}', f: { g: 1 } });
  });

  it.each(['"', '"\\', "/*", "//", ",", '{"a": "\n'])("ends with a text that breaks off at %j", (text) => {
    expect(plainJson(text).length).toBeLessThanOrEqual(text.length);
  });
});
