import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { runningProcesses } from "../../jj/process/orphan-processes.ts";
import { tempDir, watchTimers } from "../../testing/kit.ts";
import type { CommandResult, Sandbox } from "../tool-interface.ts";
import { createSandbox } from "./sandbox.ts";

let workspace: string;
let sandbox: Sandbox;
beforeEach(async () => {
  workspace = tempDir();
  mkdirSync(join(workspace, ".jj"));
  writeFileSync(join(workspace, "mark"), "");
  sandbox = await createSandbox({ allowUnsandboxed: false });
});

/** A command that would go on for a minute, found by its workspace's own name. */
const lasting = () => `touch begun; setsid sleep 61 & sleep 60; : ${workspace}`;
const begin = (over: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<CommandResult> =>
  sandbox.run({
    command: lasting(),
    workspace,
    environment: {},
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...over,
  });
/** From the outermost inwards: bubblewrap, its init, the shell. */
async function tree(): Promise<readonly number[]> {
  return (await runningProcesses())
    .filter(({ id, command }) => id !== process.pid && command.includes(workspace))
    .map(({ id }) => id)
    .toSorted((a, b) => a - b);
}
async function running(): Promise<readonly number[]> {
  return vi.waitUntil(
    async () => {
      const found = await tree();
      // Ended before that, it would have been a sandbox that could not be set up.
      return existsSync(join(workspace, "begun")) && found.length >= 3 && found;
    },
    { timeout: 60_000 },
  );
}
const nobody = () => expect.poll(tree, { timeout: 30_000 }).toEqual([]);

describe.runIf(process.platform === "linux")("a sandbox that is killed or stopped from outside", () => {
  it.each([
    ["bubblewrap itself", 0],
    ["its init", 1],
  ])(
    "killed under a command, %s: the command fails, does not pass, and nothing keeps running",
    async (_, place) => {
      const done = begin();
      const target = (await running())[place] ?? 0;
      const begun = performance.now();
      process.kill(target, "SIGKILL");
      const result = await done;
      // Long before it would have ended by itself.
      expect(performance.now() - begun).toBeLessThan(20_000);
      expect(result.exitCode).not.toBe(0);
      expect(["exited", "killed"]).toContain(result.outcome);
      await nobody();
      // The next one runs as if nothing had been.
      expect(
        await sandbox.run({
          command: "ls",
          workspace,
          environment: {},
          timeoutMs: 20_000,
          signal: new AbortController().signal,
        }),
      ).toMatchObject({ outcome: "exited", exitCode: 0, output: expect.stringContaining("mark") });
    },
  );

  it("stopped as a whole: its time limit ends it", async () => {
    const passTime = watchTimers();
    const timeoutMs = 200_000;
    const done = begin({ timeoutMs });
    for (const id of await running()) process.kill(id, "SIGSTOP");
    passTime(timeoutMs);
    expect(await done).toMatchObject({ outcome: "timed-out", exitCode: null });
    await nobody();
  });

  it("stopped as a whole: a cancel ends it before its time limit", async () => {
    const cancel = new AbortController();
    const done = begin({ signal: cancel.signal });
    for (const id of await running()) process.kill(id, "SIGSTOP");
    const begun = performance.now();
    cancel.abort();
    expect(await done).toMatchObject({ outcome: "cancelled", exitCode: null });
    expect(performance.now() - begun).toBeLessThan(20_000);
    await nobody();
  });
});
