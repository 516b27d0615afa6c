import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));

describe("check-effects", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hox-effects-"));
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
    for (const file of ["src-renderer/tsconfig.json", "build/tsconfig.base.json"]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(project, file), join(folder, file));
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function check(lines: readonly string[]): { readonly code: number; readonly output: string } {
    writeFileSync(
      join(folder, "src-renderer/form.tsx"),
      [
        'import { type RefObject, useCallback, useEffect, useLayoutEffect } from "react";',
        "declare const timer: () => () => void;",
        "declare const save: () => void;",
        "export function Form({ form }: { form: RefObject<HTMLFormElement | null> }) {",
        ...lines,
        "}",
      ].join("\n"),
    );
    const args = [join(project, "build/check-effects.mjs"), folder];
    try {
      return { code: 0, output: execFileSync(process.execPath, args, { encoding: "utf8" }) };
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return { code: status, output: stdout };
    }
  }

  it("accepts cleanups, void and bodies in braces", () => {
    const accepted = check([
      "useEffect(() => timer(), []);",
      "useEffect(() => save, []);",
      "useEffect(() => void save(), []);",
      "useEffect(() => { form.current?.scrollIntoView(); }, []);",
      "useEffect(() => { const blur = () => { return form.current?.blur(); }; return blur; }, []);",
      "return <form ref={(element) => { element?.focus(); }} />;",
    ]);
    expect(accepted).toEqual({ code: 0, output: expect.stringMatching(/^0 effects/u) });
  });

  it("refuses a DOM method's return value, also through a wrapper, a name, useCallback and return", () => {
    const { code, output } = check([
      "const scroll = () => form.current?.scrollIntoView();",
      "const focus = useCallback((element: HTMLFormElement | null) => element?.focus(), []);",
      "useEffect(() => form.current?.scrollIntoView(), []);",
      "useEffect(() => scroll(), []);",
      "useLayoutEffect(scroll, []);",
      "useEffect(() => { if (form.current) return form.current.blur(); }, []);",
      "return <><form ref={focus} /><form ref={form.current ? (one) => one?.scrollTo(0, 0) : undefined} /></>;",
    ]);
    const at = output
      .split("\n")
      .flatMap(
        (line) => /^src-renderer\/form\.tsx:(\d+): (.*) returns/u.exec(line)?.slice(1, 3).join(" ") ?? [],
      );
    expect(at.sort()).toEqual([
      "10 an effect",
      "11 a ref callback",
      "5 an effect",
      "6 a ref callback",
      "7 an effect",
      "8 an effect",
    ]);
    expect(code).toBe(1);
  });
});
