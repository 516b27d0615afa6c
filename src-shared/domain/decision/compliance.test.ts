import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AddedLine, addedLines } from "../files/diff.ts";
import { codeLines } from "./code-lines.ts";
import { guessedNames, namesTouched, usesOf } from "./compliance.ts";

const file = (before: string, after: string, path = "src/contract.ts") => ({ path, before, after });
const line = (path: string, text: string): AddedLine => ({ path, line: 7, text });

describe("names that a decision touches", () => {
  it("are removed when none of its files has them any more", () => {
    expect(
      namesTouched([file("userId: string;\nname: string;\n", "user_id: string;\nname: string;\n")]),
    ).toEqual({
      removed: ["userId"],
      changed: [],
      extensions: [".ts"],
    });
    const moved = [file("userId: string;\n", ""), file("", "userId: string;\n", "src/ids.ts")];
    expect(namesTouched(moved).removed).toEqual([]);
  });

  it("are changed when their declaration changes", () => {
    const names = namesTouched([
      file(
        "export function save(user: User): void;\nconst find = async (id) => id;\nage: number;\nlimit = 80;\n",
        "export function save(user: User, at: Date): void;\nconst find = async (id, at) => id;\nage: string;\nlimit = 90;\n",
      ),
    ]);
    expect(names.changed).toEqual(expect.arrayContaining(["save", "find", "age"]));
    expect(names.changed).not.toContain("limit");
    expect(namesTouched([file("def save(user):\n", "def save(user, at):\n", "a.py")]).changed).toEqual([
      "save",
    ]);
    expect(namesTouched([file("fn save<T>(t: T);\n", "fn save<T>(t: T, u: u8);\n", "a.rs")]).changed).toEqual(
      ["save"],
    );
  });

  it("are none in comments, prose and keywords", () => {
    const names = namesTouched([
      file(
        '/**\n * Speaks camelCase.\n */\nasync function keep() { return "some old prose"; } // remark\n',
        "function keep() { return 1; }\n",
      ),
    ]);
    expect(names.removed).toEqual([]);
  });

  it("include what an agent had used in their place", () => {
    const decided = file('export const owner = "user";\n', 'export const owner = "user_id";\n');
    const own = [
      line("src/contract.ts", "/** The API speaks camel case. */"),
      line("src/contract.ts", 'export const owner = "userId";'),
      line("src/api.ts", "const other = 1;"),
    ];
    expect(guessedNames([decided], own)).toEqual(["userId"]);
    // Whatever else it wrote there is no guess at what was decided.
    const more = [line("src/contract.ts", "export const limits = { headline: 80, kept: true };")];
    expect(guessedNames([decided], more)).toEqual([]);
  });
});

describe("uses", () => {
  const names = { removed: ["userId"], changed: ["save"], extensions: [".ts"] };

  it("are whole words of code in source files", () => {
    expect(
      usesOf(names, [
        line("src/api.js", "  get(row.userId)"),
        line("src/api.js", '  get(row["userId"])'),
        line("src/api.js", `  log(\`of $\{userId}\`)`),
        line("src/api.js", "  myUserId + userIds"),
        line("src/api.js", '  // userId\n"a userId in prose" /* userId */'),
        line("src/api.js", " * userId of old"),
        line("docs/api.md", "userId"),
        line("src/api.py", "save(row)  # userId"),
      ]).map(({ text, name, kind }) => [text, name, kind]),
    ).toEqual([
      ["get(row.userId)", "userId", "suspected"],
      ['get(row["userId"])', "userId", "suspected"],
      [`log(\`of $\{userId}\`)`, "userId", "suspected"],
      ["save(row)  # userId", "save", "unclear"],
    ]);
  });

  it("are searched in files of the decision's own kind as well", () => {
    const words = { ...names, extensions: [".txt"] };
    expect(usesOf(words, [line("notes.txt", "the userId of all")])).toMatchObject([
      { line: 7, name: "userId" },
    ]);
  });
});

describe("lines of a diff", () => {
  it("have the numbers of the new file, whatever they look like", () => {
    const diff = [
      "diff --git a/a b.ts b/a b.ts",
      "index 1..2 100644",
      "--- a/a b.ts",
      "+++ b/a b.ts",
      "@@ -2,3 +2,4 @@ function",
      " same",
      "-old",
      "+++ b/not-a-header",
      "+new",
      " same",
      "\\ No newline at end of file",
      "@@ -20 +21,1 @@",
      "-x",
      "+y",
      "diff --git a/gone b/gone",
      "--- a/gone",
      "+++ /dev/null",
      "@@ -1,1 +0,0 @@",
      "-all",
      "diff --git a/made b/made",
      "--- /dev/null",
      "+++ b/made",
      "@@ -0,0 +1,2 @@",
      "+one",
      "+two",
      "",
    ].join("\n");
    expect(addedLines(diff)).toEqual([
      { path: "a b.ts", line: 3, text: "++ b/not-a-header" },
      { path: "a b.ts", line: 4, text: "new" },
      { path: "a b.ts", line: 21, text: "y" },
      { path: "made", line: 1, text: "one" },
      { path: "made", line: 2, text: "two" },
    ]);
  });
});

describe("code lines", () => {
  it("keep the number of lines, and never grow", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("a.ts", "a.py", "a.rs", "a.txt"),
        fc.array(
          fc.constantFrom("/*", "*/", "//", "#", '"', "'", "`", `$\{x}`, "name", " ", "\n", "src/**/*.ts"),
          {
            maxLength: 30,
          },
        ),
        (path, parts) => {
          const text = parts.join("");
          expect(codeLines(path, text)).toHaveLength(text.split("\n").length);
        },
      ),
    );
  });

  it("recognise comments of many lines, and a glob or an address is none", () => {
    expect(codeLines("a.ts", "one /* two\nthree */ four\nfive // six\nsrc/**/*.ts http://x")).toEqual([
      "one ",
      " four",
      "five ",
      "src/**/*.ts http://x",
    ]);
    expect(codeLines("a.rs", "fn a<'a, 'b>(x: &'a str)")).toEqual(["fn a<'a, 'b>(x: &'a str)"]);
  });
});
