import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { beyond, isCounted, lowered, problemsOf, sizesOf } from "./sizes.mjs";

const project = fileURLToPath(new URL("..", import.meta.url));
const body = (lines: number): string => "  step();\n".repeat(lines - 2);
const fn = (name: string, lines: number): string => `function ${name}() {\n${body(lines)}}\n`;
const none = { files: {}, functions: {} };

describe("sizes", () => {
  it.each([
    ["a declaration", fn("long", 81), "long", 81],
    [
      "an arrow, with its words above left out",
      `/** Why. */\nexport const long = () => {\n${body(81)}};\n`,
      "long",
      81,
    ],
    ["a method", `class Host {\n  open() {\n${body(81)}  }\n}\n`, "open", 81],
    ["a member of an object", `const bench = { async *run() {\n${body(81)}} };\n`, "run", 81],
    ["what is given to a call", `const view = memo((props) => {\n${body(81)}});\n`, "in memo", 81],
    ["one around another", `function outer() {\n${fn("inner", 79)}}\n`, "outer", 81],
  ])("of %s", (_, text, name, lines) => {
    expect(beyond([sizesOf("src-main/a.ts", text)]).functions).toEqual({ [`src-main/a.ts ${name}`]: lines });
  });

  it("are well up to the limits", () => {
    const text = fn("long", 80) + "// more\n".repeat(220);
    expect(beyond([sizesOf("src-main/a.ts", text)])).toEqual(none);
    expect(beyond([sizesOf("src-main/a.ts", `${text}// more`)])).toEqual({
      files: { "src-main/a.ts": 301 },
      functions: {},
    });
  });

  it("count outside tests, what tests build on, and data", () => {
    expect(["src-main/a.ts", "src-renderer/a.tsx", "build/a.mjs"].filter(isCounted)).toHaveLength(3);
    expect(
      [
        "src-main/a.test.ts",
        "e2e/a.spec.ts",
        "src-main/jj/testing/a.ts",
        "build/a.d.mts",
        "a.json",
        "e2e/real/projects/a.ts",
      ].filter(isCounted),
    ).toEqual([]);
  });
});

describe("what is known to be too long", () => {
  const known = { files: { "src-main/a.ts": 400 }, functions: { "src-main/a.ts open": 90 } };

  it("is let be, may not grow, and has to be lowered when it shrank", () => {
    expect(problemsOf(known, known)).toEqual([]);
    expect(problemsOf({ ...known, files: { "src-main/a.ts": 401 } }, known)).toEqual([
      "src-main/a.ts: 401 lines; it had 400, and may only become shorter",
    ]);
    expect(problemsOf({ ...known, functions: {} }, known)).toEqual([
      "src-main/a.ts open: no longer over the limit, and build/known-sizes.json still says 90",
      "lower them: node build/check-sizes.mjs --lower",
    ]);
  });

  it("is lowered, never raised, and follows what moves", () => {
    const now = {
      files: { "src-main/a.ts": 401, "src-main/b.ts": 500 },
      functions: { "src-main/host/a.ts open": 85, "src-main/a.ts close": 99 },
    };
    expect(lowered(now, known)).toEqual({
      files: { "src-main/a.ts": 400 },
      functions: { "src-main/host/a.ts open": 85 },
    });
    expect(lowered({ files: {}, functions: { "src-main/host/a.ts open": 91 } }, known)).toEqual(none);
  });
});

describe("the check", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hox-sizes-"));
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"), "junction");
    for (const file of ["package.json", "build/sizes.mjs", "build/check-sizes.mjs"])
      cpSync(join(project, file), join(folder, file));
    write("build/known-sizes.json", JSON.stringify(none));
    for (const room of ["src-shared", "src-main", "src-renderer", "bench", "e2e"])
      write(`${room}/short.ts`, fn("short", 80));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  function check(...args: readonly string[]): { readonly code: number; readonly output: string } {
    try {
      const program = join(folder, "build/check-sizes.mjs");
      return {
        code: 0,
        output: execFileSync(process.execPath, [program, folder, ...args], { encoding: "utf8" }),
      };
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return { code: status, output: stdout };
    }
  }

  it("refuses what is planted, and cannot be talked into it", () => {
    expect(check()).toEqual({ code: 0, output: "7 files; 0 are too long, and 0 functions\n" });
    write("src-renderer/graph/canvas.tsx", `export const Canvas = () => {\n${body(179)}};\n`);
    write("src-shared/domain/long.ts", "// a line\n".repeat(301));
    const refused = {
      code: 1,
      output: [
        "src-shared/domain/long.ts: 301 lines; 300 are the limit",
        "src-renderer/graph/canvas.tsx Canvas: 179 lines; 80 are the limit",
        "9 files; 1 are too long, and 1 functions\n",
      ].join("\n"),
    };
    expect(check()).toEqual(refused);
    expect(check("--lower")).toEqual(refused);
    expect(readFileSync(join(folder, "build/known-sizes.json"), "utf8")).not.toContain("Canvas");
  });
});
