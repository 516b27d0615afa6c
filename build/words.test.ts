import { describe, expect, it } from "vitest";
import { findingsInCode, findingsInPage, phrasesIn } from "./words.mjs";

describe("phrasesIn", () => {
  it.each([
    ["The run goes on.", "goes on"],
    ["Its host was started anew.", "anew"],
    ["This is a mistake of Hox.", "mistake of Hox"],
    ["The landing was taken back.", "taken back"],
    ["The decision stands below all tasks.", "stands"],
  ])("rejects a banned phrase: %s", (text, phrase) => {
    expect(phrasesIn(text)).toEqual([{ phrase, instead: expect.any(String) }]);
  });

  it.each(["The run resumes.", "Run it on your own machine.", "A stand-in model answers.", "Goes online."])(
    "accepts plain English: %s",
    (text) => {
      expect(phrasesIn(text)).toEqual([]);
    },
  );
});

describe("findingsInCode", () => {
  const phrasesOf = (file: string, text: string) =>
    findingsInCode(file, text).map(({ line, phrase }) => `${line} ${phrase}`);

  it("finds phrases in strings, templates and JSX text, with their lines", () => {
    const planted = [
      'const a = "The run goes on.";',
      "const b = `Made $" + "{count} times anew`;",
      "const c = <p>Nobody waits here.</p>;",
    ].join("\n");
    expect(phrasesOf("src-renderer/a.tsx", planted)).toEqual(["1 goes on", "2 anew", "3 Nobody"]);
  });

  it("ignores comments, identifiers and prompts", () => {
    const text =
      '// The run goes on.\nconst anew = { place: "beside" };\npromptLine`Now go on with $' + "{task}`;";
    expect(phrasesOf("src-main/a.ts", text)).toEqual([]);
  });

  it("reads only the names of cases in a test", () => {
    const text =
      'it("goes on after a restart", () => say("All goes on."));\ntest.each([1])("is made anew", run);';
    expect(phrasesOf("src-main/a.test.ts", text)).toEqual(["1 goes on", "2 anew"]);
  });
});

describe("findingsInPage", () => {
  it("ignores code blocks and code spans", () => {
    const page = "Hox goes on.\n\n```\nIt goes on.\n```\n\nThe key `beside` is a name.\n";
    expect(findingsInPage("docs/a.md", page)).toEqual([
      { file: "docs/a.md", line: 1, phrase: "goes on", instead: expect.any(String) },
    ]);
  });
});
