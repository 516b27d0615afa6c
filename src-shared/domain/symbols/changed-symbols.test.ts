import { describe, expect, it } from "vitest";
import { editBetween, mentionedSignature, type SourceVersion } from "./changed-symbols.ts";

/** A file of functions, one a line block: `name(parameters)` and its body. */
function version(functions: Readonly<Record<string, string>>, other = ""): SourceVersion {
  const lines = ['import "./a.ts";'];
  const symbols = Object.entries(functions).map(([signature, body]) => {
    const from = lines.length + 1;
    lines.push(`${signature} {`, ...body.split("\n"), "}", "");
    return { name: signature.replace(/\(.*/u, ""), from, to: lines.length - 1, signature };
  });
  return { text: [...lines, other].join("\n"), outline: { symbols, imports: [{ from: 1, to: 1 }] } };
}
const base = version({ "save(user)": "write", "load(id)": "read" });
const edit = (after: SourceVersion) => {
  const { changed, signatures, hasOtherCode } = editBetween(base, after);
  return { changed: [...changed], signatures: [...signatures], hasOtherCode };
};

describe("editBetween", () => {
  it("names what was changed, added and removed, and whose signature changed", () => {
    expect(edit(base)).toEqual({ changed: [], signatures: [], hasOtherCode: false });
    expect(edit(version({ "save(user)": "write\nlog", "load(id)": "read" }))).toEqual({
      changed: ["save"],
      signatures: [],
      hasOtherCode: false,
    });
    expect(edit(version({ "save(user, now)": "write", "drop(id)": "x" }))).toEqual({
      changed: ["save", "load", "drop"],
      signatures: ["save", "load"],
      hasOtherCode: false,
    });
  });

  it("sees statements outside symbols, and neither blank lines nor imports nor moved functions", () => {
    expect(edit(version({ "save(user)": "write", "load(id)": "read" }, "start();")).hasOtherCode).toBe(true);
    const moved = version({ "load(id)": "read\n", "save(user)": "write" });
    expect(edit({ ...moved, text: moved.text.replace("./a.ts", "./b.ts") })).toEqual({
      changed: [],
      signatures: [],
      hasOtherCode: false,
    });
  });

  it("leaves a symbol inside another one to itself", () => {
    const nested = (inner: string): SourceVersion => ({
      text: `class A {\n  save() { ${inner} }\n}\n`,
      outline: {
        imports: [],
        symbols: [
          { name: "A", from: 1, to: 3, signature: "class A" },
          { name: "A.save", from: 2, to: 2, signature: "save()" },
        ],
      },
    });
    expect([...editBetween(nested("1"), nested("2")).changed]).toEqual(["A.save"]);
  });
});

it("finds whole words of new code only", () => {
  const changed = editBetween(base, version({ "save(user, now)": "write", "load(id)": "read" }));
  expect(mentionedSignature(changed, "store.save(user)")).toBe("save");
  expect(mentionedSignature(changed, "saved(unsave, load)")).toBeNull();
});
