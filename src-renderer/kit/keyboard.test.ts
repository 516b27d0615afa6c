import { describe, expect, it } from "vitest";
import { type KeyPress, matches, shownKeys } from "./key-table.ts";

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe("a key combination", () => {
  it("takes mod as ⌘ on a Mac and as Ctrl elsewhere", () => {
    expect(matches(press("k", { metaKey: true }), "mod+k", true)).toBe(true);
    expect(matches(press("k", { ctrlKey: true }), "mod+k", true)).toBe(false);
    expect(matches(press("k", { ctrlKey: true }), "mod+k", false)).toBe(true);
  });

  it("is not met with one modifier too many", () => {
    expect(matches(press("k", { ctrlKey: true, altKey: true }), "mod+k", false)).toBe(false);
    expect(matches(press("K", { ctrlKey: true, shiftKey: true }), "mod+k", false)).toBe(false);
  });

  it("is met on a Mac by the place of its key where ⌥ types another sign", () => {
    expect(matches(press("¡", { altKey: true, code: "Digit1" }), "alt+1", true)).toBe(true);
    expect(matches(press("ˆ", { altKey: true, code: "KeyI" }), "alt+i", true)).toBe(true);
    expect(matches(press("≤", { altKey: true, code: "Comma" }), "alt+,", true)).toBe(true);
    expect(matches(press("¡", { altKey: true, code: "Digit1" }), "alt+2", true)).toBe(false);
    expect(matches(press("¡", { code: "Digit1" }), "1", true)).toBe(false);
    expect(matches(press("¡", { altKey: true, code: "Digit1" }), "alt+1", false)).toBe(false);
  });

  it("does not ask how a sign was typed", () => {
    expect(matches(press("?", { shiftKey: true }), "?", false)).toBe(true);
    expect(matches(press("/"), "/", false)).toBe(true);
  });

  it("is written as the platform writes it", () => {
    expect(shownKeys("mod+shift+p", true)).toEqual(["⌘", "⇧", "P"]);
    expect(shownKeys("mod+ArrowUp", false)).toEqual(["Ctrl", "↑"]);
  });
});
