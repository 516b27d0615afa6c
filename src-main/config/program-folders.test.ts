import { describe, expect, it } from "vitest";
import { packageManagerFolders, searchFolders } from "./program-folders.mjs";

const mac = (PATH: string) => ({ platform: "darwin", env: { PATH }, home: "/Users/ann" });
const linux = (PATH: string, env = {}) => ({ platform: "linux", env: { PATH, ...env }, home: "/home/ann" });
const windows = (env: Record<string, string>) => ({ platform: "win32", env, home: "C:\\Users\\Ann" });

describe("folders in which programs are looked for", () => {
  it("are PATH first if the user has set it, each folder once", () => {
    const folders = searchFolders(mac("/Users/ann/bin:/usr/bin:/opt/homebrew/bin:/bin"));
    expect(folders.slice(0, 4)).toEqual(["/Users/ann/bin", "/usr/bin", "/opt/homebrew/bin", "/bin"]);
    expect(folders).toContain("/Users/ann/.cargo/bin");
    expect(new Set(folders).size).toBe(folders.length);
  });

  it("put an installed git before the system's old one in a desktop session", () => {
    const folders = searchFolders(mac("/usr/bin:/bin:/usr/sbin:/sbin"));
    expect(folders.indexOf("/opt/homebrew/bin")).toBeLessThan(folders.indexOf("/usr/bin"));
    expect(folders.slice(-4)).toEqual(["/usr/bin", "/bin", "/usr/sbin", "/sbin"]);
  });

  it("include Homebrew's, cargo's, Nix's and the user's own on Linux, wherever cargo keeps them", () => {
    const folders = packageManagerFolders(linux("/bin", { CARGO_HOME: "/data/cargo", USER: "ann" }));
    for (const folder of [
      "/home/ann/.local/bin",
      "/data/cargo/bin",
      "/home/linuxbrew/.linuxbrew/bin",
      "/home/ann/.nix-profile/bin",
      "/etc/profiles/per-user/ann/bin",
    ])
      expect(folders).toContain(folder);
  });

  it("never include a relative one, which the opened folder would fill", () => {
    for (const folders of [
      searchFolders(linux(".:bin::/usr/bin", { CARGO_HOME: "cargo" })),
      searchFolders(windows({ Path: ".;bin;C:\\Windows", SCOOP: "scoop" })),
    ])
      expect(folders.filter((folder) => !/^(\/|C:\\)/.test(folder))).toEqual([]);
  });

  it("are scoop's, winget's and Git's on Windows, and none below ProgramData that was not named", () => {
    const folders = searchFolders(
      windows({ Path: "C:\\Windows\\System32", ProgramFiles: "C:\\Program Files", LOCALAPPDATA: "C:\\L" }),
    );
    for (const folder of [
      "C:\\Users\\Ann\\scoop\\shims",
      "C:\\L\\Microsoft\\WinGet\\Links",
      "C:\\Program Files\\Git\\cmd",
      "C:\\Users\\Ann\\.cargo\\bin",
    ])
      expect(folders).toContain(folder);
    expect(folders.filter((folder) => /ProgramData/i.test(folder))).toEqual([]);
    expect(searchFolders(windows({ ChocolateyInstall: "C:\\ProgramData\\chocolatey" }))).toContain(
      "C:\\ProgramData\\chocolatey\\bin",
    );
  });
});
