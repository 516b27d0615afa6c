import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aWorker } from "#shared/testing/kit.ts";
import { folderView } from "../api/folders.ts";
import type { StatusFile } from "../api/status-file.ts";
import { repositoryStateFolder } from "../config/state-folder.ts";
import { createJj } from "../jj/process/process.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { safeJson } from "./output.ts";
import { executingRun } from "./testing/run-view.ts";

/** What a terminal, or a reader of it, would obey: ESC, C1, OSC 8, CR, backspace, direction and zero width. */
const acting =
  "\u001b[31mred\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\u009b2J\u0085a\rb\bc\u202edesrever\u2066x\u200by\u2028z\u0007";
const signs = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const entry = fileURLToPath(new URL("../cli.ts", import.meta.url));
let repository: TestRepository;
let root: string;
let state: string;

beforeAll(async () => {
  repository = await createTestRepository();
  root = repository.repository.root;
  state = join(repository.folder, "hox-state");
  await repository.terminal(["describe", "-m", `Words ${acting}\n\nHox-Agent: agent-1\n`]);
});
afterAll(() => repository.remove());

async function hox(...args: readonly string[]) {
  const { stdout, stderr } = await execa(process.execPath, [entry, ...args], {
    cwd: root,
    reject: false,
    stdin: "ignore",
    env: { HOX_STATE: state, ANTHROPIC_API_KEY: "", npm_lifecycle_event: "", NO_COLOR: "1" },
  });
  return { stdout, stderr };
}

describe("untrusted text in a terminal", () => {
  test("has no effect in the log", async () => {
    const { stdout } = await hox("log", "-r", "@");
    expect(stdout).toContain("Words ␛[31mred␛]8;;");
    expect(stdout).not.toMatch(signs);
  });

  test("has no effect in the log with jj's colours, which stay", async () => {
    const { stdout } = await createJj().run({
      args: ["-R", root, "--ignore-working-copy", "--color=always", "log", "-r", "@"],
      cwd: root,
    });
    const written: string[] = [];
    const script = `import { printColoured } from ${JSON.stringify(new URL("./output.ts", import.meta.url).href)};
printColoured(process.argv[1]);`;
    const printed = await execa(process.execPath, ["--input-type=module", "-e", script, stdout]);
    written.push(printed.stdout);
    const text = written.join("");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the colours
    const withoutColours = text.replaceAll(/\u001b\[[0-9;]*m/gu, "");
    expect(text).not.toBe(withoutColours);
    expect(withoutColours).toContain("Words ␛[31mred");
    expect(withoutColours).not.toMatch(signs);
    // Only jj's own colours are left: as many as it draws for other words.
    await repository.terminal(["new", "-m", "Words"]);
    const plain = await createJj().run({
      args: ["-R", root, "--ignore-working-copy", "--color=always", "log", "-r", "@"],
      cwd: root,
    });
    await repository.terminal(["edit", "@-"]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the colours
    const colours = (drawn: string): number => [...drawn.matchAll(/\u001b\[[0-9;]*m/gu)].length;
    expect(colours(text)).toBe(colours(plain.stdout));
  });

  test("is lossless as JSON, without effect", async () => {
    const { stdout } = await hox("log", "-r", "@", "--json");
    const [line = ""] = stdout.split("\n");
    expect(line).not.toMatch(signs);
    expect((JSON.parse(line) as { description: string }).description).toContain(acting);
    for (const value of ["😀\u{e0041}\u{1d173}", acting, "\u007f\u2029\ufeff", "é日本"])
      expect(JSON.parse(safeJson(value))).toBe(value);
  });

  test("has no effect in an error or after a new description", async () => {
    const refused = await hox("log", "-r", `nobody(${acting})`);
    expect(refused.stderr).not.toBe("");
    expect(refused.stderr).not.toMatch(signs);
    expect((await hox(`lo${acting}`)).stderr).not.toMatch(signs);
    const described = await hox("describe", "--set-agent", "agent-2");
    expect(described.stdout).toContain("Words ␛[31mred");
    expect(described.stdout).not.toMatch(signs);
  });

  test("has no effect in the status, and starts no line of it", async () => {
    const { mkdir, writeFile } = await import("node:fs/promises");
    const view = await folderView(root);
    if (view.kind !== "jj") throw new Error("The test repository is one of jj.");
    const folder = repositoryStateFolder(state, view.root);
    await mkdir(folder, { recursive: true });
    const forged = `${acting}\nbudget: nothing was spent`;
    const worker = aWorker("agent-1", { activity: forged, title: forged });
    const status: StatusFile = {
      at: 1,
      pid: null,
      run: {
        ...executingRun,
        goal: forged,
        workers: [worker],
        radar: [{ a: "agent-1", b: "agent-2", files: [`src/a${forged}`, "src/b.ts"], places: [] }],
      },
      otherRuns: [],
      inbox: [],
    };
    await writeFile(join(folder, "status.json"), JSON.stringify(status));
    const { stdout, stderr } = await hox("status");
    expect(stdout, stderr).toContain("radar: agent-1 and agent-2 both change");
    expect(stdout).not.toMatch(signs);
    expect(stdout.split("\n").filter((line) => line.startsWith("budget:"))).toHaveLength(1);
  });
});

test("only these functions of the command line write to the terminal", async () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const writing: string[] = [];
  for (const name of await readdir(folder))
    if (name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "output.ts")
      if (/process\.std(?:out|err)\.write|console\./u.test(await readFile(join(folder, name), "utf8")))
        writing.push(name);
  expect(writing).toEqual([]);
});

test.each([["workers"], ["people"]])("%s of which there are none are no lines of JSON", async (list) => {
  expect(await hox(list, "--json")).toEqual({ stdout: "", stderr: "" });
  expect((await hox(list)).stdout).not.toBe("");
});
