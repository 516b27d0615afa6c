import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { ResourcesMissing, resourcesFolder } from "./resources-folder.ts";
import { cacheFolder } from "./state-folder.ts";
import { findTool, onPath, ToolMissing, toolPath } from "./tools.ts";

let folder: string;

beforeEach(() => {
  folder = tempDir();
  for (const name of ["HOX_JJ", "HOX_BROWSER", "HOX_SANDBOX", "XDG_CACHE_HOME", "HOX_RESOURCES"])
    vi.stubEnv(name, "");
  vi.stubEnv("PATH", join(folder, "path"));
  for (const home of ["HOME", "USERPROFILE"]) vi.stubEnv(home, folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const program = (...parts: string[]): string => {
  const path = join(folder, ...parts);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
};

/** No program of this machine's package managers. */
const searched = (): readonly string[] => [join(folder, "path")];

describe("findTool", () => {
  it("looks in the environment, then set-up's record, then the cache, then PATH", () => {
    expect(findTool("jj", folder, searched())).toMatchObject({
      found: false,
      remedy: expect.stringContaining("0.44"),
    });

    const onThePath = program("path", "jj");
    expect(findTool("jj", folder)).toMatchObject({ path: onThePath, from: "path" });

    const cached = program("tools", "jj", "bin", "jj");
    expect(findTool("jj", folder)).toMatchObject({ path: cached, from: "set-up" });

    const recorded = program("recorded", "jj");
    writeFileSync(
      join(folder, "tools.json"),
      JSON.stringify({ jj: { found: true, path: recorded, version: "0.46.0" } }),
    );
    expect(findTool("jj", folder)).toMatchObject({ path: recorded, version: "0.46.0", from: "set-up" });

    const named = program("named", "jj");
    vi.stubEnv("HOX_JJ", named);
    expect(findTool("jj", folder)).toMatchObject({ path: named, from: "environment" });
  });

  it("finds a package manager's programs from a desktop session, whose PATH has only the system's", () => {
    vi.stubEnv("PATH", process.platform === "win32" ? "C:\\Windows\\System32" : "/usr/bin:/bin");
    vi.stubEnv("CARGO_HOME", undefined);
    const built = program(".cargo", "bin", "jj");
    expect(findTool("jj", folder)).toMatchObject({ path: built, from: "path" });
    const installed = program(".cargo", "bin", "git");
    expect(findTool("git", folder)).toMatchObject({ path: installed });
  });

  it("prefers the system's sandbox to a package manager's copy", () => {
    const name = process.platform === "darwin" ? "sandbox-exec" : "bwrap";
    const copy = program("copy", name);
    expect(findTool("sandbox", folder, [join(folder, "copy")])).toMatchObject({ path: copy });
    const own = program("path", name);
    expect(findTool("sandbox", folder, [join(folder, "copy")])).toMatchObject({ path: own });
  });

  it("uses the bundled jj if there is no other, and a downloaded one before one that is too old", () => {
    vi.stubGlobal("process", Object.assign(Object.create(process), { resourcesPath: join(folder, "app") }));
    const bundled = program("app", "jj", process.platform === "win32" ? "jj.exe" : "jj");
    expect(findTool("jj", folder, searched())).toMatchObject({ path: bundled, from: "package" });

    const old = program("path", "jj");
    expect(findTool("jj", folder, searched())).toMatchObject({ path: old });
    const record = {
      jj: { found: true, path: old, version: "0.30.0", note: "jj 0.30.0 is older than 0.44" },
    };
    writeFileSync(join(folder, "tools.json"), JSON.stringify(record));
    expect(findTool("jj", folder, searched())).toMatchObject({ path: old, from: "set-up" });
    const fetched = program("tools", "jj", "bin", process.platform === "win32" ? "jj.exe" : "jj");
    expect(findTool("jj", folder, searched())).toMatchObject({ path: fetched, from: "set-up" });
  });

  it("does not skip a wrong override", () => {
    program("path", "jj");
    vi.stubEnv("HOX_JJ", join(folder, "nothing"));
    expect(findTool("jj", folder)).toMatchObject({ found: false, remedy: expect.stringContaining("HOX_JJ") });
    expect(() => toolPath("jj")).toThrow(ToolMissing);
  });

  it("uses set-up's remedy, and survives a damaged record", () => {
    writeFileSync(
      join(folder, "tools.json"),
      JSON.stringify({ browser: { found: false, remedy: "Ask the administrator." } }),
    );
    expect(findTool("browser", folder)).toMatchObject({ found: false, remedy: "Ask the administrator." });
    writeFileSync(join(folder, "tools.json"), '{"browser": ');
    expect(findTool("browser", folder)).toMatchObject({
      found: false,
      remedy: expect.stringContaining("Chromium"),
    });
  });

  it("does not use npm's launcher for Electron", () => {
    vi.stubEnv("ELECTRON_EXEC_PATH", "");
    program("path", "electron");
    expect(findTool("electron", folder)).toMatchObject({ found: false });
  });

  it("never uses a program from a relative PATH entry", () => {
    program("jj");
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect(onPath(["jj"], ".")).toBeUndefined();
      expect(onPath(["jj"], `.:${folder}`)).toBe(join(folder, "jj"));
    } finally {
      process.chdir(before);
    }
  });
});

describe("cacheFolder", () => {
  it("follows each system's convention and XDG_CACHE_HOME before it", () => {
    const home = "/home/ann";
    expect(cacheFolder({ platform: "linux", env: {}, home })).toBe("/home/ann/.cache/hox");
    expect(cacheFolder({ platform: "darwin", env: {}, home })).toBe("/home/ann/Library/Caches/hox");
    expect(cacheFolder({ platform: "linux", env: { XDG_CACHE_HOME: "/c" }, home })).toBe("/c/hox");
  });
});

describe("resourcesFolder", () => {
  it("is found from the sources and from the build's folder", () => {
    writeFileSync(join(folder, "package.json"), "{}");
    mkdirSync(join(folder, "resources"));
    for (const from of ["src-main/config", "out/main/chunks"]) {
      expect(resourcesFolder(join(folder, from))).toBe(join(folder, "resources"));
    }
    expect(resourcesFolder()).toMatch(/resources$/);
  });

  it("reports what is missing with the remedy", () => {
    expect(() => resourcesFolder(folder)).toThrow(ResourcesMissing);
    vi.stubEnv("HOX_RESOURCES", join(folder, "gone"));
    expect(() => resourcesFolder()).toThrow(/HOX_RESOURCES/);
  });
});
