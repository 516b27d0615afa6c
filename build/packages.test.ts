import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeReady, packagesIn } from "./packages.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-packages-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("finds each system's packages among other build output", () => {
  for (const name of ["Hox-0.1.0.AppImage", "hox_0.1.0_amd64.deb", "Hox-0.1.0.dmg", "Hox-0.1.0-mac.zip"])
    writeFileSync(join(folder, name), "");
  for (const name of ["Hox Setup 0.1.0.exe", "builder-debug.yml", "Hox-0.1.0.dmg.blockmap"])
    writeFileSync(join(folder, name), "");
  for (const name of ["linux-unpacked", "win-unpacked"]) mkdirSync(join(folder, name));
  const found = (platform: string) => packagesIn(folder, platform).map((file) => basename(file));
  expect(found("linux")).toEqual(["Hox-0.1.0.AppImage", "hox_0.1.0_amd64.deb", "linux-unpacked"]);
  expect(found("darwin")).toEqual(["Hox-0.1.0-mac.zip", "Hox-0.1.0.dmg"]);
  expect(found("win32")).toEqual(["Hox Setup 0.1.0.exe", "win-unpacked"]);
  expect(packagesIn(join(folder, "none"), "linux")).toEqual([]);
});

it("reports a package without a program and a file that is not a package", async () => {
  mkdirSync(join(folder, "linux-unpacked"));
  await expect(makeReady(join(folder, "linux-unpacked"), join(folder, "app"), "linux")).rejects.toThrow(
    /contains no program .*linux-unpacked.hox/,
  );
  await expect(makeReady(join(folder, "readme.txt"), join(folder, "app"), "linux")).rejects.toThrow(
    "npm run dist",
  );
});

it("gives Hox the fields that a deb requires: source and maintainer", () => {
  const { author, homepage } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(URL.canParse(homepage)).toBe(true);
  expect(author).toMatch(/^\S.* <\S+@\S+>$/);
});
