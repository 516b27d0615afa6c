import { expect, test } from "vitest";
import { shownText } from "./shown-text.ts";

test("signs that act without being seen get a shape", () => {
  expect(shownText("\u001b[31mred\u0007")).toBe("␛[31mred␇");
  expect(shownText("if (a) {\u202e } eslaf")).toBe("if (a) {⟨U+202E⟩ } eslaf");
  expect(shownText("\u2066x\u2069\u0085")).toBe("⟨U+2066⟩x⟨U+2069⟩⟨U+0085⟩");
});

test("everything else stays as it is, other scripts and joined signs among it", () => {
  for (const text of ["שלום עולם", "👩‍👩‍👧‍👦", "a\tb\r\nc\n", "日本"]) expect(shownText(text)).toBe(text);
});
