import { type ChildProcess, fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toolPath } from "../config/tools.ts";
import { createTestRepository } from "../jj/testing/create-test-repository.ts";
import { eventually, tempDir } from "../testing/kit.ts";
import type { ChildMessage, Command } from "./testing/electron-process.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  folder = tempDir();
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
});

/** The real entry and the real host in a process of their own; only Electron's module is made up. */
function start(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = fork(here("main.ts"), args, {
    execArgv: ["--import", here("testing/use-electron-process.ts")],
    env: { ...process.env, HOX_STATE: join(folder, "state"), ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const messages: ChildMessage[] = [];
  child.on("message", (message) => messages.push(message as ChildMessage));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (data: Buffer) => {
      output += data.toString();
    });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal)),
  );
  const heard = (what: string): unknown[] =>
    messages.filter((one) => one.what === what).map((one) => one.with);
  const app = {
    child,
    ended,
    output: () => output,
    messages: heard,
    /** Waits for the nth time that something is told. */
    hear: async (what: string, times = 1): Promise<unknown> => {
      await eventually(() => expect(heard(what).length, `${what}\n${output}`).toBeGreaterThanOrEqual(times));
      return heard(what)[times - 1];
    },
    tell: (command: Command): void => void child.send(command),
  };
  children.push(child);
  return app;
}

const windowFile = (): string => join(folder, "state", "window.json");
const requests = (app: ReturnType<typeof start>): unknown[] =>
  app.messages("sent").map((sent) => (sent as { message: unknown }).message);

async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe("an orderly shutdown", () => {
  // What else asks for it: `ending.test.ts`.
  it("follows a signal while jj runs, and saves the window's position", { tags: ["long"] }, async () => {
    const { repository, remove } = await createTestRepository();
    const jj = await program("slow-jj", `sleep 0.2; exec "${toolPath("jj")}" "$@"`);
    try {
      const app = start([repository.root], { HOX_JJ: jj });
      await app.hear("load");
      // jj runs now: without a listener of our own execa would end the process.
      await new Promise((resolve) => setTimeout(resolve, 400));
      app.child.kill("SIGINT");
      expect([await app.ended, app.output()]).toEqual([
        0,
        expect.stringMatching(/^Hox: Saving.*again.*\n$/u),
      ]);
      expect(JSON.parse(readFileSync(windowFile(), "utf8")).bounds).toMatchObject({ x: 7, y: 8 });
    } finally {
      await remove();
    }
  });

  it("follows the last window, and saves the zoom", async () => {
    await mkdir(join(folder, "state"), { recursive: true });
    await writeFile(
      windowFile(),
      JSON.stringify({ bounds: { x: 7, y: 8, width: 900, height: 700 }, maximized: false, zoom: 1.25 }),
    );
    const app = start();
    await app.hear("load");
    app.tell({ emit: "page", event: "dom-ready" });
    expect(await app.hear("zoom")).toBe(1.25);
    app.tell({ do: "close-window" });
    expect(await app.ended).toBe(0);
    expect(JSON.parse(readFileSync(windowFile(), "utf8")).zoom).toBe(1.25);
  });

  it("is cut short by a second signal", async () => {
    const hanging = await program("hanging-jj", "exec sleep 60");
    await mkdir(join(folder, "with-jj", ".jj"), { recursive: true });
    const app = start([join(folder, "with-jj")], { HOX_JJ: hanging });
    await app.hear("load");
    await new Promise((resolve) => setTimeout(resolve, 400));
    app.child.kill("SIGINT");
    await eventually(() => expect(app.output()).toContain("Saving"));
    // Until then it would count as the same request.
    await new Promise((resolve) => setTimeout(resolve, 800));
    app.child.kill("SIGINT");
    expect(await app.ended).toBe(130);
    expect(app.output()).toMatch(/Saving[\s\S]*Quit immediately/u);
  });
});

it.runIf(process.platform === "linux")(
  "opens the user's browser instead of a window when its sandbox is off",
  { tags: ["long"] },
  async () => {
    await writeFile(join(folder, "index.html"), "<!doctype html>");
    // To the question of that file alone it is not root, for whom there is no sandbox to give up.
    const asUser = join(folder, "as-user.mjs");
    await writeFile(
      asUser,
      'const uid = process.getuid; process.getuid = () => (new Error().stack.split("\\n")[2].includes("isSandboxGivenUp") ? 1000 : uid());\n',
    );
    const browser = await program(
      "browser",
      `[ "$1" = --version ] && exit 0; echo "$@" > '${folder}/asked'; exec sleep 60`,
    );
    const app = start(["--no-sandbox"], {
      NODE_OPTIONS: `--import ${asUser}`,
      STAND_IN_PACKAGED: "1",
      HOX_RENDERER: folder,
      HOX_BROWSER: browser,
      DISPLAY: ":none",
    });
    await eventually(() => expect(app.output()).toMatch(/Hox runs in its own window/u));
    expect(app.output()).toMatch(
      /^Hox: this system does not allow the user namespaces.*AppArmor.*sysctl.*$/mu,
    );
    expect(app.messages("load")).toEqual([]);
    await vi.waitFor(
      () => expect(readFileSync(join(folder, "asked"), "utf8")).toContain("--app=file:"),
      10_000,
    );
    app.child.kill("SIGTERM");
    expect(await app.ended, app.output()).toBe(0);

    // The same without that word, or as root, opens a window.
    const defaultRun = start([], { NODE_OPTIONS: `--import ${asUser}`, STAND_IN_PACKAGED: "1" });
    await defaultRun.hear("load");
    if (process.getuid?.() !== 0) return;
    const asRoot = start(["--no-sandbox"], { STAND_IN_PACKAGED: "1" });
    await asRoot.hear("load");
  },
);

describe("a folder from outside", () => {
  it("that cannot be opened is reported on the page, without a blocking dialog", async () => {
    const plain = join(folder, "plain");
    await mkdir(plain);
    const app = start([plain]);
    await app.hear("load");
    await eventually(() => expect(app.output()).toContain("could not open"));
    expect(app.messages("sent")).toEqual([]);
    app.tell({ do: "connect" });
    await app.hear("sent");
    expect(requests(app)).toEqual([{ kind: "open-folder", path: plain }]);
    // A page that is loaded anew hears what comes when it is there again.
    app.tell({
      emit: "page",
      event: "did-start-navigation",
      args: [{ isMainFrame: true, isSameDocument: false }],
    });
    app.tell({ emit: "app", event: "open-file", args: [{}, join(folder, "nowhere")] });
    await eventually(() => expect(app.output()).toMatch(/could not open .*nowhere/u));
    expect(requests(app)).toHaveLength(1);
    app.tell({ do: "connect" });
    await app.hear("sent", 2);
    expect(requests(app)[1]).toEqual({ kind: "open-folder", path: join(folder, "nowhere") });
    expect([app.messages("error box"), app.messages("dialog")]).toEqual([[], []]);
    app.child.kill("SIGTERM");
    expect(await app.ended).toBe(0);
  });

  it("is opened when macOS names it before the app is ready, and when a second start does, which shows the window", async () => {
    const [early, later] = [
      await createTestRepository({ isUnique: true }),
      await createTestRepository({ isUnique: true }),
    ];
    const recent = (): string => {
      const file = join(folder, "state", "recent.json");
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    };
    try {
      const app = start([], { STAND_IN_OPEN_FILE: early.repository.root });
      await eventually(() => expect(recent()).toContain(early.repository.root));
      app.tell({ emit: "window", event: "minimize" });
      const asked = { folder: later.repository.root };
      app.tell({ emit: "app", event: "second-instance", args: [{}, [], "/", asked] });
      await eventually(() => expect(recent()).toContain(later.repository.root));
      await app.hear("focus");
      expect([app.messages("restore").length, app.messages("focus").length]).toEqual([1, 1]);
      app.tell({ do: "quit" });
      expect(await app.ended).toBe(0);
    } finally {
      await early.remove();
      await later.remove();
    }
    const second = start(["later"], { STAND_IN_SECOND: "1" });
    expect(await second.hear("lock")).toEqual({ folder: join(process.cwd(), "later") });
    expect(await second.ended).toBe(0);
  });
});

describe("a page", () => {
  it("that crashed is reloaded automatically, says so, and asks when it crashes again", async () => {
    const app = start();
    await app.hear("load");
    app.tell({ do: "connect" });
    app.tell({ emit: "page", event: "render-process-gone", args: [{}, { reason: "crashed" }] });
    await app.hear("load", 2);
    expect(app.messages("sent")).toEqual([]);
    app.tell({ do: "connect" });
    await app.hear("sent");
    expect(requests(app)).toMatchObject([
      { kind: "notice", text: expect.stringContaining("Agents kept running") },
    ]);

    app.tell({ emit: "page", event: "render-process-gone", args: [{}, { reason: "oom" }] });
    expect(await app.hear("dialog")).toMatchObject({
      message: expect.stringContaining("(oom)"),
      detail: expect.stringContaining("close other programs"),
      onWindow: true,
    });
    // Two reasons at once are one question.
    app.tell({ emit: "page", event: "did-fail-load", args: [{}, -2, "ERR_FAILED", "app://hox/", true] });
    app.tell({ do: "answer-dialog", response: 0 });
    await app.hear("load", 3);
    app.tell({ emit: "page", event: "did-navigate", args: [{}, "app://hox/", 404] });
    expect(await app.hear("dialog", 2)).toMatchObject({
      detail: expect.stringContaining("reinstall Hox"),
    });
    app.tell({ do: "answer-dialog", response: 1 });
    expect(await app.ended).toBe(0);
  });

  it("is not reloaded for what is no failure", { tags: ["long"] }, async () => {
    const app = start();
    await app.hear("load");
    app.tell({ emit: "page", event: "did-fail-load", args: [{}, -3, "ERR_ABORTED", "app://hox/", true] });
    app.tell({ emit: "page", event: "did-fail-load", args: [{}, -2, "ERR_FAILED", "https://x", false] });
    app.tell({ emit: "page", event: "did-navigate", args: [{}, "app://hox/", 200] });
    app.tell({ emit: "window", event: "unresponsive" });
    app.tell({ emit: "window", event: "responsive" });
    app.tell({ do: "click-notification" });
    await app.hear("focus");
    app.tell({ do: "quit" });
    expect(await app.ended).toBe(0);
    expect([app.messages("load").length, app.messages("dialog"), app.messages("crashed by us")]).toEqual([
      1,
      [],
      [],
    ]);
  });
});

it("shows an uncaught error once, while the host continues", async () => {
  const { repository, remove } = await createTestRepository();
  try {
    const app = start();
    await app.hear("load");
    app.tell({ do: "throw" });
    app.tell({ do: "throw" });
    expect(await app.hear("dialog")).toMatchObject({ message: expect.stringContaining("a planted mistake") });
    app.tell({ emit: "app", event: "open-file", args: [{}, repository.root] });
    await eventually(() => expect(existsSync(join(folder, "state", "recent.json"))).toBe(true));
    expect(app.messages("dialog")).toHaveLength(1);
    app.tell({ do: "answer-dialog", response: 1 });
    expect(await app.ended).toBe(0);
  } finally {
    await remove();
  }
});

it("that cannot start says why without blocking the process, and ends after the click", async () => {
  const app = start([], { HOX_REHEARSAL_PACE: "fast" });
  expect(await app.hear("dialog")).toMatchObject({ message: expect.stringContaining("Hox could not start") });
  app.tell({ do: "answer-dialog", response: 0 });
  expect(await app.ended).toBe(1);
});
