import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { whileQuiet } from "../../processes/quiet-folder.ts";
import { eventually, tempDir } from "../../testing/kit.ts";
import type { LongRunningProcess, NamespaceInit, Sandbox } from "../tool-interface.ts";
import { adoptSandbox, killSandbox } from "./long-running.ts";
import { endOrphanedSandboxes, isNamespaceGone, processTree } from "./process-tree.ts";
import { createSandbox } from "./sandbox.ts";

let folder: string;
let workspace: string;
let home: string;
beforeEach(() => {
  folder = tempDir();
  workspace = join(folder, "workspaces", "agent-1");
  home = join(folder, "home");
  mkdirSync(workspace, { recursive: true });
  mkdirSync(home);
  writeFileSync(join(workspace, ".env"), "canary");
});

const start = (sandbox: Sandbox, script: string): Promise<LongRunningProcess> =>
  sandbox.start({ words: ["/bin/sh", "-c", script], workspace, environment: {}, home, mounts: [] });

/** The sandbox of a host that was killed. */
async function leftBehind(script: string): Promise<NamespaceInit> {
  const host = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { createSandbox } from ${JSON.stringify(new URL("./sandbox.ts", import.meta.url).href)};
      const sandbox = await createSandbox({ allowUnsandboxed: false });
      const staying = await sandbox.start({ words: ["/bin/sh", "-c", ${JSON.stringify(script)}],
        workspace: ${JSON.stringify(workspace)}, environment: {}, home: ${JSON.stringify(home)}, mounts: [] });
      console.log(JSON.stringify(staying.init));
      setInterval(() => undefined, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const init = await new Promise<NamespaceInit>((resolve) =>
    host.stdout.once("data", (line: Buffer) => resolve(JSON.parse(line.toString()) as NamespaceInit)),
  );
  const ended = new Promise((resolve) => host.once("exit", resolve));
  host.kill("SIGKILL");
  await ended;
  return init;
}

describe.each([
  ["in a sandbox", undefined],
  ["without a sandbox", null],
] as const)("a program that stays %s", (_, program) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox({ allowUnsandboxed: true, ...(program === null ? { program } : {}) });
  });

  it("reads its input, writes its output, keeps files in HOME and says how it ended", async () => {
    const staying = await start(sandbox, "read line; echo got $line; echo kept > $HOME/file; exit 3");
    const output = text(staying.stdout);
    staying.stdin.end("word\n");
    expect(await output).toBe("got word\n");
    expect(await staying.ended).toEqual({ exitCode: 3, reason: "" });
    expect(readFileSync(join(home, "file"), "utf8")).toBe("kept\n");
  });

  it("does not keep commands of its workspace waiting, and is ended with all that it started", async () => {
    const staying = await start(sandbox, "sleep 600 & touch started; sleep 600");
    await eventually(() => expect(existsSync(join(workspace, "started"))).toBe(true));
    const { output } = await sandbox.run({
      command: "ls",
      workspace,
      environment: {},
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    });
    expect(output).toContain("started");
    await staying.kill();
    await staying.ended;
  });

  it("has new protected files removed while it runs", async () => {
    const staying = await start(sandbox, "echo 1 > .npmrc; touch started; cat");
    await eventually(() => expect(existsSync(join(workspace, "started"))).toBe(true));
    const restored = await staying.whileStopped(() => staying.restoreProtected());
    expect(restored).toEqual([".npmrc"]);
    expect(existsSync(join(workspace, ".npmrc"))).toBe(false);
    const output = text(staying.stdout);
    staying.stdin.end("continues");
    expect(await output).toBe("continues");
    await staying.ended;
  });
});

describe.runIf(process.platform === "linux")("a program that stays in its sandbox", () => {
  it("changes nothing while it is stopped, however many processes continue each other", async () => {
    const sandbox = await createSandbox({ allowUnsandboxed: false });
    const busy = "while :; do kill -CONT -1 2>/dev/null; touch a$$; rm -f a$$; done";
    const staying = await start(sandbox, `(${busy}) & (${busy}) & touch started; ${busy}`);
    await eventually(() => expect(existsSync(join(workspace, "started"))).toBe(true));
    const names = (): string => readdirSync(workspace).sort().join();
    for (let round = 0; round < 20; round++)
      await staying.whileStopped(async () => {
        const before = names();
        const changed = statSync(workspace).mtimeMs;
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(names()).toBe(before);
        expect(statSync(workspace).mtimeMs).toBe(changed);
      });
    const changed = statSync(workspace).mtimeMs;
    await eventually(() => expect(statSync(workspace).mtimeMs).not.toBe(changed));
    await staying.kill();
  });

  it("has new protected files removed also when it has ended", async () => {
    const sandbox = await createSandbox({ allowUnsandboxed: false });
    const staying = await start(sandbox, "echo 1 > .npmrc");
    await staying.ended;
    expect(await staying.whileStopped(() => staying.restoreProtected())).toEqual([".npmrc"]);
  });

  it("is ended where it ran although it was stopped", async () => {
    const sandbox = await createSandbox({ allowUnsandboxed: false });
    const staying = await start(sandbox, "touch started; while :; do :; done");
    await eventually(() => expect(existsSync(join(workspace, "started"))).toBe(true));
    const work = async (): Promise<void> => {
      for (const pid of processTree(staying.init as NamespaceInit).processes)
        process.kill(Number(pid), "SIGCONT");
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await expect(whileQuiet(workspace, work)).rejects.toThrow("continued while its files were read");
    expect(await staying.ended).toMatchObject({ exitCode: expect.anything() });
  });

  it("sees hidden files and folders of its workspace empty, and cannot fill them", async () => {
    const sandbox = await createSandbox({ allowUnsandboxed: false });
    mkdirSync(join(workspace, ".tool"));
    writeFileSync(join(workspace, ".tool/settings"), "canary");
    writeFileSync(join(workspace, "tool.json"), "canary");
    const script = "cat tool.json; ls -A .tool; echo x > tool.json; echo x > .tool/new; echo end";
    const staying = await sandbox.start({
      ...{ words: ["/bin/sh", "-c", script], workspace, environment: {}, home, mounts: [] },
      hidden: [".tool", "tool.json", "missing", "missing/file"],
    });
    expect(await text(staying.stdout)).toBe("end\n");
    await staying.ended;
    expect(readdirSync(join(workspace, ".tool"))).toEqual(["settings"]);
    expect(readFileSync(join(workspace, "tool.json"), "utf8")).toBe("canary");
    symlinkSync(".tool", join(workspace, "link"));
    const again = { words: ["/bin/true"] as const, workspace, environment: {}, home, mounts: [] };
    await expect(sandbox.start({ ...again, hidden: ["link"] })).rejects.toThrow("link is a link");
  });

  it("is held to its limits by the host that takes it over", async () => {
    const bomb =
      "while [ ! -e go ]; do sleep 0.05; done; n=0; while [ $n -lt 900 ]; do sleep 60 & n=$((n+1)); done; wait";
    const init = await leftBehind(bomb);
    await adoptSandbox(init, workspace);
    writeFileSync(join(workspace, "go"), "");
    await eventually(() => expect(isNamespaceGone(init)).toBe(true));
  });

  it("outlives its host, is spared by the clean-up that knows it, and can be taken over", async () => {
    const init = await leftBehind("while :; do touch again; rm again; done");
    await endOrphanedSandboxes(join(folder, "workspaces"), [init]);
    const seen = (): number => Number(readFileSync(`/proc/${init.pid}/stat`, "utf8").length > 0);
    expect(seen()).toBe(1);
    await killSandbox(init);
    expect(
      existsSync(`/proc/${init.pid}`) && !readFileSync(`/proc/${init.pid}/stat`, "utf8").includes(") Z"),
    ).toBe(false);
  });
});
