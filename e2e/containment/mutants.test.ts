import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { families } from "./cases/families.ts";
import { mutants } from "./mutants.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));

/** What does not parse in a file of TypeScript. */
const syntaxErrors = (source: string): readonly string[] =>
  (ts.transpileModule(source, { reportDiagnostics: true }).diagnostics ?? []).map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, "\n"),
  );

describe("mutants", () => {
  it.each(mutants)("replaces one place of its file with code that parses: $name", ({ file, code, hole }) => {
    const parts = readFileSync(`${project}${file}`, "utf8").split(code);
    expect(parts).toHaveLength(2);
    expect(syntaxErrors(parts.join(hole))).toEqual([]);
  });

  it("are noticed by cases that are there, and each family has one", () => {
    const tried = new Set(mutants.flatMap(({ cases }) => cases));
    const named = families.map(({ name, cases }) => ({ name, cases: cases.map((one) => one.name) }));
    expect([...tried].filter((one) => !named.some(({ cases }) => cases.includes(one)))).toEqual([]);
    expect(named.filter(({ cases }) => !cases.some((one) => tried.has(one)))).toEqual([]);
  });
});
