import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isCounted, longParts, sizesOf, tooLong } from "./sizes.mjs";

const project = fileURLToPath(new URL("..", import.meta.url));
const body = (lines: number): string => "  step();\n".repeat(lines - 2);
const fn = (name: string, lines: number): string => `function ${name}() {\n${body(lines)}}\n`;

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
    const sizes = [sizesOf("src-main/a.ts", text)];
    expect(longParts(sizes)).toEqual([`src-main/a.ts ${name}: ${lines} lines, more than 80`]);
    expect(tooLong(sizes)).toEqual([]);
  });

  it("are reported beyond 500 lines of a file and 80 of a function", () => {
    const text = fn("long", 80) + "// more\n".repeat(420);
    expect(longParts([sizesOf("src-main/a.ts", text)])).toEqual([]);
    expect(longParts([sizesOf("src-main/a.ts", `${text}// more`)])).toEqual([
      "src-main/a.ts: 501 lines, more than 500",
    ]);
  });

  it("are refused beyond 800 lines of a file", () => {
    const text = "// a line\n".repeat(800);
    expect(tooLong([sizesOf("src-main/a.ts", text)])).toEqual([]);
    expect(tooLong([sizesOf("src-main/a.ts", `${text}// more`)])).toEqual([
      "src-main/a.ts: 801 lines; 800 are the limit",
    ]);
  });

  it("exclude tests, test helpers, and data", () => {
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

describe("the check", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hox-sizes-"));
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"), "junction");
    for (const file of ["package.json", "build/sizes.mjs", "build/check-sizes.mjs"])
      cpSync(join(project, file), join(folder, file));
    for (const room of ["src-shared", "src-main", "src-renderer", "bench", "e2e"])
      write(`${room}/short.ts`, fn("short", 80));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  function check(): { readonly code: number; readonly output: string } {
    try {
      const program = join(folder, "build/check-sizes.mjs");
      return { code: 0, output: execFileSync(process.execPath, [program, folder], { encoding: "utf8" }) };
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return { code: status, output: stdout };
    }
  }

  it("reports what is long and refuses a file that is too long", () => {
    expect(check()).toEqual({
      code: 0,
      output: "7 files; 0 files and functions are long, 0 files are too long\n",
    });
    write("src-renderer/graph/canvas.tsx", `export const Canvas = () => {\n${body(179)}};\n`);
    write("src-shared/domain/long.ts", "// a line\n".repeat(501));
    const named = [
      "src-shared/domain/long.ts: 501 lines, more than 500",
      "src-renderer/graph/canvas.tsx Canvas: 179 lines, more than 80",
    ];
    expect(check()).toEqual({
      code: 0,
      output: [...named, "9 files; 2 files and functions are long, 0 files are too long\n"].join("\n"),
    });
    write("src-shared/domain/long.ts", "// a line\n".repeat(801));
    expect(check()).toEqual({
      code: 1,
      output: [
        "src-shared/domain/long.ts: 801 lines, more than 500",
        named[1],
        "src-shared/domain/long.ts: 801 lines; 800 are the limit",
        "9 files; 2 files and functions are long, 1 files are too long\n",
      ].join("\n"),
    });
  });
});
