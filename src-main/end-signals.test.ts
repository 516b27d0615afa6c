import { expect, it } from "vitest";
import { makeConsoleVisible } from "./end-signals.ts";

it("shows control characters, also in errors, and keeps lines", () => {
  const { log, warn, error } = console;
  const printed: string[] = [];
  try {
    console.error = (text: string) => void printed.push(text);
    makeConsoleVisible();
    console.error("Hox: %s was not opened:", "a\u202eb", new Error("\u001b]0;title\u0007"));
  } finally {
    Object.assign(console, { log, warn, error });
  }
  expect(printed.join("\n")).toMatch(/^Hox: a⟨U\+202E⟩b was not opened: Error: ␛\]0;title␇\n {4}at /u);
});
