import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DecisionEdit, decisionEdit, inForce, newOverrides, overridesIn } from "./decision-edit.ts";

const before = `export interface User {
  // The id, as the API has always called it.
  userId: string;
  name: string;
}
`;
const after = before.replace("userId: string", "user_id: string");
const path = "src/user.ts";
const edit = decisionEdit({ path, before, after });
const judged = (text: string | null, edits: readonly DecisionEdit[] = [edit]) =>
  overridesIn(edits, (file) => (file === path ? text : null)).map(({ kind, line }) => `${kind}: ${line}`);

describe("a decision's edit", () => {
  it("is its added and removed lines", () => {
    expect(edit).toEqual({ path, added: ["user_id: string;"], removed: ["userId: string;"] });
  });

  it("is binding neither by earlier lines nor by brackets", () => {
    expect(decisionEdit({ path, before: "a();\nb();\n}\n", after: "b();\na();\n});\na();\n" })).toEqual({
      path,
      added: [],
      removed: [],
    });
  });
});

describe("an agent's version of the file", () => {
  it("keeps the decision when lines are moved, wrapped, indented or extended", () => {
    expect(judged(after)).toEqual([]);
    expect(
      judged("type U = {\n      name: string,\n  user_id:\n      string,\n}; // userId was here\n"),
    ).toEqual([]);
    expect(judged(after.replace("name: string;", "name: string;\n  email: string;"))).toEqual([]);
    expect(judged(after.replace("user_id: string;", "user_id: string; // ours"))).toEqual([]);
  });

  it("overrides it when its line is gone, changed or only a comment", () => {
    expect(judged(after.replace("  user_id: string;\n", ""))).toEqual(["taken-out: user_id: string;"]);
    expect(judged(after.replace("user_id: string", "user_id: number"))).toHaveLength(1);
    expect(judged(after.replace("  user_id", "  // user_id"))).toHaveLength(1);
    expect(judged(null)).toEqual(["taken-out: user_id: string;"]);
    expect(judged(after.replace("user_id", "user_ids"))).toHaveLength(1);
  });

  it("overrides it when a removed line is there again, also next to the new line", () => {
    expect(overridesIn([edit], () => after.replace("name", "userId: string;\n  name"))).toEqual([
      { path, kind: "put-back", line: "userId: string;", at: 4 },
    ]);
    expect(judged(after.replace("name", "readonly userId: string; name"))).toHaveLength(1);
    expect(judged(after.replace("name", "// userId: string;\n  name"))).toEqual([]);
  });

  it("may move a line between files of the same decision", () => {
    const other = decisionEdit({ path: "src/other.ts", before: "", after: "export type Id = string;\n" });
    const texts = new Map([
      [path, "export {};\n"],
      ["src/other.ts", `${after}export type Id = string;\n`],
    ]);
    expect(overridesIn([edit, other], (file) => texts.get(file) ?? null)).toEqual([]);
  });

  it("is judged by a single word only if the word fills the line", () => {
    const list = decisionEdit({ path, before: "[\n  red,\n  blue,\n]", after: "[\n  blue,\n]" });
    expect(judged("[\n  blue,\n]\npaint(red, blue)", [list])).toEqual([]);
    expect(judged("[\n  blue,\n  red\n]", [list])).toEqual(["put-back: red,"]);
  });

  it("does not match a removed line inside the one that replaced it", () => {
    const wider = decisionEdit({ path, before: "age: number\n", after: "age: number | null\n" });
    expect(wider.removed).toEqual([]);
    expect(judged("age: number | null\n", [wider])).toEqual([]);
    expect(judged("age: number\n", [wider])).toEqual(["taken-out: age: number | null"]);
  });
});

describe("a later decision", () => {
  const later = decisionEdit({ path, before: after, after: after.replace("user_id: string", "user_id: Id") });
  const back = decisionEdit({ path, before: after, after: before });

  it("replaces the lines of an earlier one and nothing else of it", () => {
    expect(inForce([[edit], [later]])).toEqual([
      [{ path, added: [], removed: ["userId: string;"] }],
      [later],
    ]);
    expect(
      judged(after.replace("string;\n  name", "Id;\n  name"), inForce([[edit], [later]]).flat()),
    ).toEqual([]);
  });

  it("may revert it completely", () => {
    expect(inForce([[edit], [back]])).toEqual([[], [back]]);
    expect(judged(before, inForce([[edit], [back]]).flat())).toEqual([]);
    expect(judged(after, inForce([[edit], [back]]).flat())).toHaveLength(2);
  });
});

const line = fc.constantFrom(
  "alpha: one",
  "beta(two)",
  "gamma = three;",
  "}",
  "",
  "delta: four",
  "  return five",
);
const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n"));
const spaced = (whole: string): string => whole.replaceAll(/(?<=\S) /gu, "\n    ");

describe("for any texts", () => {
  it("a decision's own result keeps it, in any order and with any spaces", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const decided = decisionEdit({ path, before: one, after: other });
        const mixed = other.split("\n").toReversed().join("\n");
        expect(judged(other, [decided])).toEqual([]);
        expect(judged(mixed, [decided])).toEqual([]);
        expect(judged(spaced(other), [decided])).toEqual([]);
      }),
    );
  });

  it("the state before a decision overrides it, if the decision binds anything", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const decided = decisionEdit({ path, before: one, after: other });
        expect(judged(one, [decided])).toHaveLength(decided.added.length + decided.removed.length);
      }),
    );
  });

  it("after any number of decisions the last result keeps all that is in force", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 6 }), (versions) => {
        const all = versions
          .slice(1)
          .map((now, place) => [decisionEdit({ path, before: versions[place] ?? "", after: now })]);
        expect(judged(versions.at(-1) ?? "", inForce(all).flat())).toEqual([]);
      }),
    );
  });

  it("an edit is blamed only for its own changes", () => {
    fc.assert(
      fc.property(text, text, text, (one, other, mine) => {
        const decided = [decisionEdit({ path, before: one, after: other })];
        expect(
          newOverrides(
            decided,
            () => mine,
            () => mine,
          ),
        ).toEqual([]);
        expect(
          newOverrides(
            decided,
            () => other,
            () => mine,
          ),
        ).toEqual(overridesIn(decided, () => mine));
      }),
    );
  });
});
