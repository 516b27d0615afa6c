import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConflictPart, conflictParts, originOf, textOfTerm } from "./conflict.ts";

const place = (nth: number, ours: string, before: string, theirs: string, of = 2): string =>
  `<<<<<<< conflict ${nth} of ${of}\n+++++++ zkymuook d13fd01c "task one"\n${ours}------- utxoxrzt c934e099 "base"\n${before}+++++++ xsuuptkx 1a32385a "task two"\n${theirs}>>>>>>> conflict ${nth} of ${of} ends\n`;

describe("a file in conflict", () => {
  const content = `a\n${place(1, "B1\n", "b\n", "B2\n")}c\n${place(2, "", "f\n", "F2\nF3\n")}g\n`;

  test("consists of resolved parts and conflicts", () => {
    const parts = conflictParts(content);
    expect(parts.map(({ kind }) => kind)).toEqual(["text", "conflict", "text", "conflict", "text"]);
    expect([0, 1, 2].map((nth) => textOfTerm(parts, nth))).toEqual([
      "a\nB1\nc\ng\n",
      "a\nb\nc\nf\ng\n",
      "a\nB2\nc\nF2\nF3\ng\n",
    ]);
  });

  test("keeps each side without a newline at the end of one", () => {
    const parts = conflictParts(
      `<<<<<<< conflict 1 of 1\n+++++++ zkymuook d13fd01c "task one" (no terminating newline)\nnew1\n------- utxoxrzt c934e099 "base"\n\n+++++++ xsuuptkx 1a32385a "task two"\nnew2\n\n>>>>>>> conflict 1 of 1 ends`,
    );
    expect([0, 1, 2].map((nth) => textOfTerm(parts, nth))).toEqual(["new1", "", "new2\n"]);
    expect(parts[0]).toMatchObject({ terms: [{ label: 'zkymuook d13fd01c "task one"' }, {}, {}] });
  });

  test("may contain lines that look like markers: jj's are longer", () => {
    const parts = conflictParts(
      `<<<<<<<< conflict 1 of 1\n++++++++ a 1 "x"\n<<<<<<< HEAD\n=======\n-------- b 2 "y"\n++++++++ c 3 "z"\n>>>>>>> theirs\n>>>>>>>> conflict 1 of 1 ends\n`,
    );
    expect(textOfTerm(parts, 0)).toBe("<<<<<<< HEAD\n=======\n");
    expect(textOfTerm(parts, 2)).toBe(">>>>>>> theirs\n");
  });

  test("returns every side exactly, whatever the content", () => {
    const lines = fc.array(fc.constantFrom("", "a", "b c", "<<<", "+++++"), { maxLength: 4 });
    const text = lines.map((all) => all.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text, text, text), { minLength: 1, maxLength: 4 }),
        text,
        (places, last) => {
          const written = places
            .map(([before, one, base, other], at) => before + place(at + 1, one, base, other, places.length))
            .join("");
          const parts: readonly ConflictPart[] = conflictParts(written + last);
          for (const nth of [0, 1, 2])
            expect(textOfTerm(parts, nth)).toBe(
              places.map((all) => all[0] + (all[nth + 1] ?? "")).join("") + last,
            );
        },
      ),
    );
  });

  test("without conflicts is one text, or empty", () => {
    expect(conflictParts("a\n<<<<<<< HEAD\n")).toEqual([{ kind: "text", text: "a\n<<<<<<< HEAD\n" }]);
    expect(conflictParts("")).toEqual([]);
  });
});

test("a side's label has change, commit, title and operation", () => {
  expect(originOf('zkymuook d13fd01c "task (one) "x"" (rebase destination)')).toEqual({
    change: "zkymuook",
    commit: "d13fd01c",
    title: 'task (one) "x"',
    part: "rebase destination",
  });
  expect(originOf("zkymuook/1 d13fd01c")).toEqual({
    change: "zkymuook",
    commit: "d13fd01c",
    title: "",
    part: "",
  });
  expect(originOf("Contents of side #1")).toMatchObject({ change: null, title: "Contents of side #1" });
});
