import { describe, expect, it } from "vitest";
import {
  effectiveFilters,
  includesFiles,
  parseGitSettings,
  programsOfRemotes,
  settingsEnvironment,
  takeBackSettings,
} from "./git-settings.ts";

const listed = (...lines: readonly (readonly [scope: string, key: string, value?: string])[]) =>
  parseGitSettings(
    lines
      .map(([scope, key, value]) =>
        [scope, "file:.git/config", value === undefined ? key : `${key}\n${value}`, ""].join("\0"),
      )
      .join(""),
  );

/** What git uses in the end of single settings. */
const takenBack = (...lines: readonly (readonly [scope: string, key: string, value?: string])[]) =>
  Object.fromEntries(takeBackSettings(listed(...lines)));

describe("settings of a repository", () => {
  it("allow those that name no program, file or server", () => {
    expect(
      takenBack(
        ["local", "core.repositoryformatversion", "1"],
        ["local", "core.bare", "false"],
        ["local", "core.autocrlf", "input"],
        ["local", "extensions.objectformat", "sha256"],
        ["local", "branch.main.merge", "refs/heads/main"],
        ["local", "remote.origin.url", "git@example.org:a/b.git"],
        ["local", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
        ["local", "user.email", "me@example.org"],
        ["local", "diff.renamelimit", "400"],
        ["local", "someday.new", "true"],
        ["local", "commit.gpgsign"],
        ["local", "filter.lfs.process", "git-lfs filter-process"],
        ["local", "include.path", "../shared"],
        ["global", "core.editor", "vi"],
      ),
    ).toEqual({});
  });

  it.each([
    "core.askpass",
    "core.editor",
    "core.pager",
    "core.attributesfile",
    "core.excludesfile",
    "core.alternaterefscommand",
    "alias.log",
    "browser.x.cmd",
    "credential.https://example.org.helper",
    "diff.external",
    "diff.x.textconv",
    "diff.x.command",
    "difftool.x.cmd",
    "filter.x.clean",
    "filter.a=b.smudge",
    "filter.lfs.clean",
    "gpg.program",
    "gpg.ssh.defaultkeycommand",
    "gc.recentobjectshook",
    "hook.x.command",
    "http.cookiefile",
    "http.https://example.org.proxy",
    "init.templatedir",
    "interactive.difffilter",
    "lfs.url",
    "lfs.customtransfer.x.path",
    "merge.x.driver",
    "pager.log",
    "sequence.editor",
    "submodule.x.update",
    "trailer.x.command",
    "uploadpack.packobjectshook",
    "someday.new",
  ])("overrides %s", (key) => {
    expect(takenBack(["local", key, "/evil --now"])).toEqual({ [key]: "" });
    expect(takenBack(["worktree", key, "evil.sh"])).toEqual({ [key]: "" });
  });

  it("restores the user's values, or Git's default if there are none", () => {
    expect(
      takenBack(
        ["global", "core.sshcommand", "ssh -i mine"],
        ["local", "core.sshcommand", "evil"],
        ["local", "core.gitproxy", "evil"],
        ["local", "protocol.ext.allow", "always"],
        ["local", "http.sslverify", "false"],
        ["local", "http.https://example.org/.sslverify", "0"],
        ["local", "filter.x.required", "true"],
      ),
    ).toEqual({
      "core.sshcommand": "ssh -i mine",
      "core.gitproxy": "none",
      "protocol.ext.allow": "never",
      "http.sslverify": "true",
      "http.https://example.org/.sslverify": "true",
      "filter.x.required": "false",
    });
    expect(takenBack(["local", "core.sshcommand", "evil"])).toEqual({ "core.sshcommand": "ssh" });
  });

  it("clears the credential helpers and then names the user's", () => {
    expect(
      takeBackSettings(
        listed(
          ["global", "credential.helper", "store"],
          ["global", "credential.https://example.org.helper", "!gh auth git-credential"],
          ["local", "credential.helper", "!evil"],
        ),
      ),
    ).toEqual([
      ["credential.helper", ""],
      ["credential.helper", "store"],
      ["credential.https://example.org.helper", "!gh auth git-credential"],
    ]);
  });

  it("reports programs of remotes, which cannot be overridden", () => {
    const settings = listed(["local", "remote.a.b.receivepack", "evil"], ["global", "remote.c.vcs", "mine"]);
    expect(programsOfRemotes(settings)).toEqual(["remote.a.b.receivepack"]);
  });

  it("knows the filters that run, and the included files", () => {
    const settings = listed(
      ["global", "filter.lfs.smudge", "git-lfs smudge -- %f"],
      ["local", "filter.lfs.smudge", "evil"],
      ["local", "filter.own.smudge", "evil"],
    );
    expect(effectiveFilters(settings)).toEqual([
      { name: "lfs", key: "filter.lfs.smudge", command: "git-lfs smudge -- %f" },
    ]);
    expect(includesFiles(settings)).toBe(false);
    expect(includesFiles(listed(["local", "includeif.gitdir:/x.path", "y"]))).toBe(true);
  });

  it("are given after those of the environment", () => {
    expect(settingsEnvironment([["a.b=c.d", "e"]], { GIT_CONFIG_COUNT: "2" })).toEqual({
      GIT_CONFIG_COUNT: "3",
      GIT_CONFIG_KEY_2: "a.b=c.d",
      GIT_CONFIG_VALUE_2: "e",
    });
  });
});
