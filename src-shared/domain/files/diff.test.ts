import fc from "fast-check";
import { expect, test } from "vitest";
import { addedLines, cutDiff, diffOfFiles, filesOfDiff, lineCounts, quotedByGit, statOf } from "./diff.ts";

const diff = `diff --git a/src/a.ts b/src/a.ts
index 1234567..89abcde 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@ function f() {
 kept
--- a/looks like a header
+++ b/looks like a header
 kept
@@ -10 +10,2 @@
-gone
+diff --git a/x b/x
+two
\\ No newline at end of file
diff --git a/old name.md b/new name.md
similarity index 100%
rename from old name.md
rename to new name.md
diff --git a/picture.png b/picture.png
new file mode 100644
index 0000000..1234567
Binary files /dev/null and b/picture.png differ
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git "a/a\\tb \\303\\251.txt" "b/a\\tb \\303\\251.txt"
deleted file mode 100644
--- "a/a\\tb \\303\\251.txt"
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git "a/not \\377 text" "b/not \\377 text"
new file mode 100644
`;

test("files of a diff: changed, renamed, binary, with another mode, quoted, and not UTF-8", () => {
  expect(statOf(diff)).toEqual([
    { path: "src/a.ts", added: 3, removed: 2 },
    { path: "new name.md", added: 0, removed: 0 },
    { path: "picture.png", added: 0, removed: 0 },
    { path: "run.sh", added: 0, removed: 0 },
    { path: "a\tb é.txt", added: 0, removed: 1 },
    { path: "not \ufffd text", added: 0, removed: 0 },
  ]);
});

test("added lines have their numbers in the new version, even if they look like headers", () => {
  expect(addedLines(diff)).toEqual([
    { path: "src/a.ts", line: 2, text: "++ b/looks like a header" },
    { path: "src/a.ts", line: 10, text: "diff --git a/x b/x" },
    { path: "src/a.ts", line: 11, text: "two" },
  ]);
});

test("the part of a diff for some files is complete, without others that name them", () => {
  const part = diffOfFiles(diff, new Set(["src/a.ts", "a\tb é.txt", "x"]));
  expect(filesOfDiff(part).map(({ path }) => path)).toEqual(["src/a.ts", "a\tb é.txt"]);
  expect(part).toContain("+diff --git a/x b/x");
  expect(diffOfFiles(diff, new Set(filesOfDiff(diff).map(({ path }) => path)))).toBe(diff);
  expect(diffOfFiles("", new Set(["a"]))).toBe("");
});

test("a name that git quotes is unquoted", () => {
  for (const name of ['a\nb "c" \\d', "tab\there", "bell\x07"]) {
    const [file] = filesOfDiff(`diff --git ${quotedByGit(`a/${name}`)} ${quotedByGit(`b/${name}`)}\n`);
    expect(file?.path).toBe(name);
  }
});

/** Every hunk of it counts its lines right. */
function isWhole(diff: string): boolean {
  const lines = diff.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const head = /^@@ -\d+,(\d+) \+\d+,(\d+) @@/u.exec(lines[at] ?? "");
    if (!head) continue;
    let [removed, added] = [Number(head[1]), Number(head[2])];
    while (removed > 0 || added > 0) {
      const sign = lines[++at]?.[0];
      if (sign === "-" || sign === " ") removed -= 1;
      if (sign === "+" || sign === " ") added -= 1;
      if (sign === undefined || removed < 0 || added < 0) return false;
    }
  }
  return true;
}

const fileOf = (name: string, hunks: readonly (readonly string[])[]): string =>
  [
    `diff --git a/${name} b/${name}`,
    `--- a/${name}`,
    `+++ b/${name}`,
    ...hunks.flatMap((lines, at) => [
      `@@ -${at * 100 + 1},${lines.filter((line) => /^[ -]/u.test(line)).length} +${at * 100 + 1},${lines.filter((line) => /^[ +]/u.test(line)).length} @@ here`,
      ...lines,
    ]),
  ]
    .map((line) => `${line}\n`)
    .join("");

test("files after the limit are left out completely, and those before it stay exact", () => {
  const [one, two] = [fileOf("one", [[" a", "+b"]]), fileOf("two", [["-c", "+d"]])];
  expect(cutDiff(one + two, one.length + two.length)).toEqual({ diff: one + two, isCut: false });
  expect(cutDiff(one + two, one.length + two.length - 3)).toEqual({ diff: one, isCut: true });
});

test("in a single file the last hunk counts what is left of it", () => {
  const { diff } = cutDiff(
    fileOf("huge", [
      ["-a", "+b"],
      [" c", "+d", "+e", "-f"],
    ]),
    109,
  );
  expect(diff).toContain("@@ -101,1 +101,3 @@ here\n c\n+d\n+e\n");
  expect(isWhole(diff)).toBe(true);
});

test("the rest is a valid diff, wherever it is cut", () => {
  const line = fc.constantFrom(
    " a",
    "+b",
    "-c",
    "+@@ -1,1 +1,1 @@",
    "-diff --git a/x b/x",
    "\\ No newline at end of file",
  );
  const hunks = fc.array(fc.array(line, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(hunks, { minLength: 1, maxLength: 4 }), fc.nat(600), (files, limit) => {
      const whole = files.map((all, at) => fileOf(`f${at}`, all)).join("");
      fc.pre(isWhole(whole));
      const { diff, isCut } = cutDiff(whole, limit);
      expect(isWhole(diff)).toBe(true);
      expect(isCut).toBe(whole.length > limit);
      expect(diff.length).toBeLessThanOrEqual(Math.max(limit, 0) + 12);
    }),
  );
});

test("a binary file has an unknown number of lines instead of zero", () => {
  expect(lineCounts({ added: 3, removed: 0 })).toBe("+3 -0");
  expect(lineCounts({ added: 0, removed: 0 })).toBe("no lines");
});
