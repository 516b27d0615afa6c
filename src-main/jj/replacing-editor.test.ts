import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { replacingEditor } from "./read/unpublished.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

it("writes a file's content to jj's editor file, whatever the paths are", async () => {
  const staged = join(folder, "content");
  await writeFile(staged, Uint8Array.from([0, 255, 13, 10, 26, 0]));
  const target = join(folder, "new folder", "100% 'a' $b.txt");
  const [program = "", ...args] = await replacingEditor(staged, folder);
  // A batch file is started through the shell of Windows, which is what jj's language does too.
  const shell = process.platform === "win32";
  const words = shell ? [...args, target].map((word) => `"${word}"`) : [...args, target];
  await promisify(execFile)(shell ? `"${program}"` : program, words, { shell });
  expect(await readFile(target)).toEqual(await readFile(staged));
});

it("starts no program of Hox on any system: a packaged one cannot run a script", async () => {
  for (const platform of ["linux", "darwin", "win32"] as const)
    expect(await replacingEditor(join(folder, "content"), folder, platform)).not.toContain(process.execPath);
});

it("on Windows is a batch file that lives as long as the content it copies", async () => {
  const staged = join(folder, "content");
  const [script = "", ...args] = await replacingEditor(staged, folder, "win32");
  expect(script).toBe(join(folder, "replace-file.cmd"));
  expect(args).toEqual([staged]);
  const lines = (await readFile(script, "utf8")).split("\r\n");
  expect(lines[0]).toBe("@echo off");
  // An exclamation mark in a path would be taken for a variable otherwise.
  expect(lines[1]).toBe("setlocal disabledelayedexpansion");
  expect(lines).toContain('copy /b /y "%~f1" "%~f2" >nul');
});
