import fc from "fast-check";
import { expect, test } from "vitest";
import { attachmentLimits, attachmentProblem, formatAttachment, matchingFiles } from "./attachment.ts";
import { fieldsOf, fillIn, missingFields, templateNameProblem } from "./goal-template.ts";

test("fields of a template are filled in, defaults are used for empty ones, and missing ones stay visible", () => {
  const text = "Add {{ thing }} to {{module|src}}, and {{thing}} again in {{ module }}. {not} {{}}";
  expect(fieldsOf(text)).toEqual([
    { name: "thing", standard: null },
    { name: "module", standard: "src" },
  ]);
  expect(fillIn(text, { thing: "a clock" })).toBe("Add a clock to src, and a clock again in src. {not} {{}}");
  expect(fillIn(text, { thing: " ", module: "lib" })).toContain("{{ thing }} to lib");
  expect(missingFields(text, {})).toEqual(["thing"]);
  expect(missingFields(text, { thing: "x" })).toEqual([]);
});

test("a typed value is never read as a field, and a template without fields stays unchanged", () => {
  fc.assert(
    fc.property(fc.string(), (typed) => {
      const word = typed.trim() === "" ? "x" : typed;
      expect(fillIn("<{{a}}>", { a: word })).toBe(`<${word.trim()}>`);
    }),
  );
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes("{{")),
      (text) => {
        expect(fillIn(text, { a: "b" })).toBe(text);
      },
    ),
  );
});

test("a template's name is a file name and nothing more", () => {
  expect(templateNameProblem("Fix a bug-2")).toBeNull();
  for (const name of ["", " ", "../x", "a/b", ".hidden", "a\\b", "x".repeat(61)])
    expect(templateNameProblem(name), name).not.toBeNull();
});

test("attachments have limits, each with its name", () => {
  const text = (name: string, bytes: number) => ({ name, kind: "text", bytes }) as const;
  expect(attachmentProblem([text("a", 1), { name: "b.png", kind: "picture", bytes: 3_000_000 }])).toBeNull();
  expect(attachmentProblem([text("a", attachmentLimits.textBytes + 1)])).toContain("a has 300 kB");
  expect(attachmentProblem([text("a", 1), text("a", 2)])).toContain("attached twice");
  expect(attachmentProblem(Array.from({ length: 11 }, (_, at) => text(`${at}`, 1)))).toContain("At most 10");
  const pictures = ["a", "b"].map((name) => ({ name, kind: "picture" as const, bytes: 3_000_000 }));
  expect(attachmentProblem(pictures)).toContain("6.0 MB");
  expect(formatAttachment(text("notes.md", 2_600))).toBe("notes.md (3 kB)");
});

test("files whose name begins with the typed text come first, and all contain its letters", () => {
  const files = ["src/app.ts", "docs/application.md", "map/other.ts", "src/wrap.ts", "a/p/x"];
  expect(matchingFiles(files, "app", 10)).toEqual(["src/app.ts", "docs/application.md"]);
  expect(matchingFiles(files, "ap", 10)).toEqual([
    "src/app.ts",
    "docs/application.md",
    "src/wrap.ts",
    "map/other.ts",
    "a/p/x",
  ]);
  expect(matchingFiles(files, "", 2)).toHaveLength(2);
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (paths, typed) => {
      const found = matchingFiles(paths, typed, 5);
      expect(found.length).toBeLessThanOrEqual(5);
      for (const path of found)
        for (const letter of typed.toLowerCase()) expect(path.toLowerCase()).toContain(letter);
    }),
  );
});
