import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { hiddenSigns, shownLine, shownName, shownText } from "./shown-text.ts";

test("invisible control characters are made visible", () => {
  expect(shownText("\u001b[31mred\u0007")).toBe("␛[31mred␇");
  expect(shownText("if (a) {\u202e } eslaf")).toBe("if (a) {⟨U+202E⟩ } eslaf");
  expect(shownText("\u2066x\u2069\u0085")).toBe("⟨U+2066⟩x⟨U+2069⟩⟨U+0085⟩");
  expect(shownText("a\rb\bc")).toBe("a␍b␈c");
  expect(shownText("pay\u200bload\ufeff\u00ad\u2028x")).toBe("pay⟨U+200B⟩load⟨U+FEFF⟩⟨U+00AD⟩⟨U+2028⟩x");
  expect(shownText("\u{e0041}\u{e0101}\u3164")).toBe("⟨U+E0041⟩⟨U+E0101⟩⟨U+3164⟩");
  expect(shownText("in\u200dvisible")).toBe("in⟨U+200D⟩visible");
});

test("everything else stays unchanged, including other scripts and joined characters", () => {
  for (const text of ["שלום עולם", "👩‍👩‍👧‍👦", "👩🏽‍💻", "❤️‍🔥", "می‌خواهم", "क्‍ष", "a\tb\r\nc\n", "日本"])
    expect(shownText(text)).toBe(text);
});

test("an edited text lists its hidden characters, once each", () => {
  expect(hiddenSigns("a\u202eb\u202e\u200b\r")).toEqual(["⟨U+202E⟩", "⟨U+200B⟩", "␍"]);
  expect(hiddenSigns("שלום\r\n\t👩‍💻 می‌خواهم")).toEqual([]);
});

test("inline text starts no other line", () => {
  expect(shownLine("one\ntwo\r\nthree\tfour")).toBe("one␊two␊three␉four");
});

describe("a name", () => {
  it("that is plain stays unchanged", () => {
    for (const name of ["src/app.ts", "Ünïcode/日本.md", "a b.txt", "C:\\x", "it's"])
      expect(shownName(name)).toBe(name);
  });

  it.each([
    ["a\nb", '"a\\nb"'],
    [" leading", '" leading"'],
    ["trailing ", '"trailing "'],
    ["", '""'],
    ['say "x"', '"say \\"x\\""'],
    ["a\u202etxt.exe", '"a\\u{202e}txt.exe"'],
    ["a\u00a0b", '"a\\u{a0}b"'],
    ["x\u200b", '"x\\u{200b}"'],
    ["\u001b[2K", '"\\u{1b}[2K"'],
  ])("%j is quoted", (name, shown) => expect(shownName(name)).toBe(shown));

  it("never looks like another one", () => {
    const sign = fc.constantFrom(
      "a",
      "\\",
      '"',
      "\n",
      "n",
      " ",
      "\u202e",
      "\u200b",
      "\r",
      "u{202e}",
      "⟨U+202E⟩",
      "␊",
      "\ufe0f",
      "\u3000",
    );
    const name = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(""));
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(shownName(one) === shownName(other)).toBe(one === other);
        expect(shownName(one)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 2_000 },
    );
  });
});
