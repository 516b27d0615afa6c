import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call } from "../../engine/testing/merge-request-script.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { startStandIn } from "../../model/stand-in/stand-in.ts";
import { exitCode } from "../command-line.ts";

const entry = fileURLToPath(new URL("../../cli.ts", import.meta.url));
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

test("four archangels exist and are off; one is switched on and off by its name, and an unknown name is refused", {
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
  const { stdout } = await hox("archangels");
  expect(stdout).toMatch(/^security +sleeping +You read changes as an attacker would\.$/mu);
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
  expect(unknown.stderr).toContain('No archangel named "nobody".\nAvailable: security');
});

test("ideas are kept, counted, started from and removed", { timeout: 180_000, tags: ["long"] }, async () => {
  expect((await hox("ideas")).stdout).toBe('No ideas yet. Save one: hox ideas add "…"');
  const none = await hox("run", "--idea", "1");
  expect([none.code, none.stderr]).toEqual([exitCode.usage, expect.stringContaining("No idea 1.")]);
  await hox("ideas", "add", "Speak", "in one tone");
  expect(json((await hox("ideas", "add", "Name the ports", "--json")).stdout)).toMatchObject([
    { text: "Name the ports", from: null, run: null },
  ]);
  expect((await hox("ideas")).stdout).toBe("1. Name the ports\n2. Speak in one tone");
  const tooMany = await hox("ideas", "remove", "3");
  expect([tooMany.code, tooMany.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("No idea 3.\nSaved ideas: 2. List them: hox ideas"),
  ]);
  // It comes as far as the key: the goal was there.
  const begun = await hox("run", "--idea", "2", "--onto", "@");
  expect(begun.code).not.toBe(exitCode.usage);
  expect(begun.stderr).not.toContain("no goal given");
  expect((await hox("ideas", "remove", "1")).stdout).toBe("Removed: Name the ports");
  expect((await hox("ideas")).stdout).toBe("1. Speak in one tone");
});

test("comments need a run, and say so", { timeout: 180_000 }, async () => {
  for (const args of [[], ["send", "security-1"]]) {
    const { code, stderr } = await hox("comments", ...args);
    expect([code, stderr]).toEqual([exitCode.error, expect.stringContaining("No run in this repository.")]);
  }
});

test("a watch in a terminal prints comments on a session's turn and ends on Ctrl-C; without an enabled archangel it is refused", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  const standIn = await startStandIn({
    script: {
      name: "watch",
      routes: {
        "archangel-watcher": [
          {
            name: "looks",
            prompt: "+userId",
            steps: [
              call("comment", { path: "notes.txt", line: 1, text: "Another name.", relation: "risk" }),
              call("nothing_to_say", {}),
            ],
          },
        ],
      },
    },
  });
  const env = {
    HOX_STATE: join(folder, "state"),
    CLAUDE_CONFIG_DIR: join(folder, "claude"),
    ANTHROPIC_API_KEY: standIn.apiKey,
    ANTHROPIC_BASE_URL: standIn.url,
    npm_lifecycle_event: "",
    NO_COLOR: "1",
  };
  try {
    const refused = await execa(process.execPath, [entry, "archangels", "watch"], {
      cwd: root,
      reject: false,
      stdin: "ignore",
      env,
    });
    expect(refused.exitCode).toBe(exitCode.error);
    expect(refused.stderr).toContain("All archangels that review sessions are off.");
    await mkdir(join(root, ".hox"), { recursive: true });
    await writeFile(
      join(root, ".hox", "config.toml"),
      '[[archangel]]\nname = "watcher"\npurpose = "Names."\nwakes = ["session_turn"]\n',
    );
    const watch = execa(process.execPath, [entry, "archangels", "watch"], {
      cwd: root,
      reject: false,
      stdin: "ignore",
      all: true,
      env,
    });
    let output = "";
    watch.all.on("data", (data: Buffer) => {
      output += data.toString();
    });
    const hasStatements = (words: string) =>
      vi.waitFor(() => expect(output).toContain(words), { timeout: 90_000, interval: 50 });
    await hasStatements("Archangels review each turn");
    await writeFile(join(root, "notes.txt"), "userId\n");
    const turn = {
      type: "agent-turn-complete",
      "thread-id": "0199a213-81c0-7800",
      "turn-id": "1",
      cwd: root,
      "input-messages": ["Write it"],
      "last-assistant-message": "Written.",
    };
    await execa(process.execPath, [entry, "notify", JSON.stringify(turn)], { cwd: root, env });
    await hasStatements("watcher-1  notes.txt:1  Another name.");
    const status = (await hox("status")).stdout;
    expect(status).toMatch(/^watching, running/mu);
    expect(status).toMatch(/^budget: .*; today \$0\.\d\d of \$1\.00$/mu);
    watch.kill("SIGINT");
    expect((await watch).exitCode).toBe(exitCode.done);
    expect(json((await hox("runs", "--json")).stdout)).toMatchObject([{ stage: "stopped", isWatch: true }]);
  } finally {
    await standIn.close();
  }
});
