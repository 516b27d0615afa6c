import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { exitCode } from "./command-line.ts";

const entry = fileURLToPath(new URL("../cli.ts", import.meta.url));
let folder: string;
let repository: TestRepository;
let root: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-cli-archangels-")));
  repository = await createTestRepository();
  root = await realpath(repository.repository.root);
});
afterAll(async () => {
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

async function hox(...args: readonly string[]) {
  const ended = await execa(process.execPath, [entry, ...args], {
    cwd: root,
    reject: false,
    stdin: "ignore",
    env: {
      HOX_STATE: join(folder, "state"),
      ANTHROPIC_API_KEY: "",
      npm_lifecycle_event: "",
      NO_COLOR: "1",
    },
  });
  return { code: ended.exitCode, stdout: ended.stdout, stderr: ended.stderr };
}
const json = (text: string): readonly unknown[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));

test("four are there and off; one is switched on and off by its name, and a name that nobody has is refused", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  const before = json((await hox("archangels", "--json")).stdout);
  expect(before).toMatchObject(
    ["plan-keeper", "security", "tests", "simplicity"].map((name) => ({ name, isOn: false, state: "off" })),
  );
  expect(await hox("archangels", "on", "security")).toMatchObject({
    code: exitCode.done,
    stdout: expect.stringContaining("security is on"),
  });
  expect(await readFile(join(root, ".hox", "config.toml"), "utf8")).toContain(
    '[[archangel]]\nname = "security"\nenabled = true\n',
  );
  const { stdout } = await hox("archangels", "list");
  expect(stdout).toMatch(
    /^security +sleeping +You look at changes as somebody would who wants to misuse them\.$/mu,
  );
  expect(stdout).toMatch(/^tests +off /mu);
  expect(json((await hox("archangels", "off", "security", "--json")).stdout)).toEqual([
    { kind: "done", live: false, archangel: "security", isOn: false },
  ]);
  expect(json((await hox("archangels", "--json")).stdout)[0]).toMatchObject({
    name: "security",
    isOn: false,
  });
  const unknown = await hox("archangels", "on", "nobody");
  expect(unknown.code).toBe(exitCode.error);
  expect(unknown.stderr).toContain('No archangel is called "nobody".\nThere are: security');
});

test("ideas are kept, counted, begun from and removed", { timeout: 180_000, tags: ["long"] }, async () => {
  expect((await hox("ideas")).stdout).toBe('No ideas yet. Keep one: hox ideas add "…"');
  const none = await hox("run", "--idea", "1");
  expect([none.code, none.stderr]).toEqual([exitCode.usage, expect.stringContaining("There is no idea 1.")]);
  await hox("ideas", "add", "Speak", "in one tone");
  expect(json((await hox("ideas", "add", "Name the ports", "--json")).stdout)).toMatchObject([
    { text: "Name the ports", from: null, run: null },
  ]);
  expect((await hox("ideas")).stdout).toBe("1. Name the ports\n2. Speak in one tone");
  const tooMany = await hox("ideas", "remove", "3");
  expect([tooMany.code, tooMany.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("There is no idea 3.\nThere are 2: hox ideas lists them."),
  ]);
  // It comes as far as the key: the goal was there.
  const begun = await hox("run", "--idea", "2", "--onto", "@");
  expect(begun.code).not.toBe(exitCode.usage);
  expect(begun.stderr).not.toContain("there is no goal");
  expect((await hox("ideas", "remove", "1")).stdout).toBe("Removed: Name the ports");
  expect((await hox("ideas")).stdout).toBe("1. Speak in one tone");
});

test("comments want a run, and say so", { timeout: 180_000 }, async () => {
  const listed = await hox("comments");
  expect([listed.code, listed.stderr]).toEqual([
    exitCode.error,
    expect.stringContaining("There is no run here."),
  ]);
  const sent = await hox("comments", "send", "security-1");
  expect([sent.code, sent.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("There is no comment security-1 in this run.\nhox comments lists them."),
  ]);
});
