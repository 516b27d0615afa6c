import fc from "fast-check";
import { expect, test } from "vitest";
import { cutDiff } from "./cut-diff.ts";

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
