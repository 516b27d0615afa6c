import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { Folder } from "./folder.ts";
import { removeTree } from "./remove-tree.ts";

let outside: string;
beforeEach(() => {
  outside = tempDir();
  mkdirSync(join(outside, "in"));
  mkdirSync(join(outside, "secrets"));
  writeFileSync(join(outside, "secrets", "key"), "canary");
});

it("reaches only what is in a folder, also when the folder is swapped for a link", async () => {
  mkdirSync(join(outside, "in", "sub"));
  writeFileSync(join(outside, "in", "sub", "key"), "own");
  const root = await Folder.open(join(outside, "in"));
  const sub = await root.folder("sub");
  execFileSync("sh", ["-c", "mv in/sub in/gone && ln -s ../secrets in/sub"], { cwd: outside });
  expect(await sub.readFile("key", 100)).toMatchObject({ bytes: Buffer.from("own") });
  await expect(root.folder("sub")).rejects.toMatchObject({ code: expect.stringMatching(/^E(LOOP|NOTDIR)$/) });
  symlinkSync("../secrets/key", join(outside, "in", "link"));
  expect(await root.readFile("link", 100)).toEqual({ unreadable: "irregular", size: expect.any(Number) });
  for (const name of ["..", ".", "", "sub/key", "a\0b"])
    expect(() => root.stat(name)).toThrow("is not the name of one entry");
  await sub.close();
  await root.close();
});

it("neither blocks on a pipe nor reads more than its limit", async () => {
  execFileSync("mkfifo", [join(outside, "in", "pipe")]);
  writeFileSync(join(outside, "in", "long"), "x".repeat(1000));
  const root = await Folder.open(join(outside, "in"));
  expect(await root.readFile("pipe", 10)).toMatchObject({ unreadable: "irregular" });
  expect(await root.readFile("long", 999)).toEqual({ unreadable: "too-large", size: 1000 });
  expect(await root.readFile("long", 1000)).toMatchObject({ bytes: { length: 1000 } });
  expect(await root.readFile("none", 1)).toMatchObject({ unreadable: "absent" });
  await root.close();
});

it("removes names that are not UTF-8 and paths that are too long, but no link's target", async () => {
  const script = `
import os
os.chdir(${JSON.stringify(join(outside, "in"))})
os.mkdir(b"d\\xff"); open(b"d\\xff/f\\xfe", "w").write("x")
os.symlink("../secrets", "link")
os.mkdir("closed"); open("closed/f", "w").write("x"); os.chmod("closed", 0)
for name in range(3000):
    os.mkdir("deep"); os.chdir("deep")
open("f", "w").write("x")
`;
  execFileSync("python3", ["-c", script]);
  await removeTree(join(outside, "in"));
  expect(existsSync(join(outside, "in"))).toBe(false);
  expect(readFileSync(join(outside, "secrets", "key"), "utf8")).toBe("canary");
  await removeTree(join(outside, "in"));
  await removeTree(join(outside, "absent", "in"));
});
