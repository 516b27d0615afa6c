import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { configPath, parseConfig } from "../config/config.ts";
import { toolPath } from "../config/tools.ts";
import { tempDir } from "../testing/kit.ts";
import { FolderNotEmpty, prepareRehearsal } from "./prepare.ts";
import { listRehearsals, NoSuchRehearsal } from "./rehearsals.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

const filesOf = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.startsWith(".jj/"))
    .sort();

describe("the rehearsal's repository", () => {
  it("has every file of the example, a history, a bookmark and checks that pass", async () => {
    const target = join(folder, "harbour");
    const rehearsal = await prepareRehearsal("profiles", target);
    expect(filesOf(target)).toEqual(filesOf(rehearsal.example));
    expect(rehearsal.history.flatMap((commit) => commit.files).toSorted()).toEqual(
      filesOf(rehearsal.example),
    );

    const jj = (...args: string[]): string =>
      execFileSync(toolPath("jj"), ["-R", target, "--no-pager", ...args], { encoding: "utf8" });
    const log = jj(
      "log",
      "--no-graph",
      "-r",
      "::main ~ root()",
      "-T",
      'author.email() ++ " " ++ author.timestamp().format("%F") ++ " " ++ description',
    );
    expect(log.trim().split("\n")).toHaveLength(8);
    expect(log).toContain(
      "crew@harbour.example 2026-03-02 Begin with a lint and a test runner that need no package",
    );
    expect(
      jj("log", "--no-graph", "-r", "@ & empty() & description(exact:'') & children(main)", "-T", '"x"'),
    ).toBe("x");

    const { config, problems } = parseConfig(readFileSync(configPath(target), "utf8"));
    expect(problems).toEqual([]);
    for (const command of [
      ...(config.backpressure.fastChecks ?? []),
      ...(config.backpressure.slowChecks ?? []).map((one) => one.command),
    ]) {
      execFileSync("sh", ["-c", command], { cwd: target });
    }
  });

  it("never overwrites existing files", async () => {
    writeFileSync(join(folder, "mine.txt"), "mine");
    await expect(prepareRehearsal("profiles", folder)).rejects.toThrow(FolderNotEmpty);
    expect(existsSync(join(folder, ".jj"))).toBe(false);
  });

  it("lists the available rehearsals", async () => {
    expect(listRehearsals().map((one) => one.name)).toEqual(["profiles", "receipts", "tides"]);
    await expect(prepareRehearsal("profile", join(folder, "x"))).rejects.toThrow(NoSuchRehearsal);
  });
});
