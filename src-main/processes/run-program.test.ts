import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ProgramToRun, runProgram } from "./run-program.ts";

const isPosix = process.platform !== "win32";
const folder = realpathSync(mkdtempSync(join(tmpdir(), "hox-programs-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? "" };
async function run(program: string, args: readonly string[], more: Partial<ProgramToRun> = {}) {
  const output: Uint8Array[] = [];
  const call = { program, args, cwd: folder, env, timeoutMs: 60_000, ...more };
  const end = await runProgram(call, (bytes) => void output.push(bytes));
  return { ...end, stdout: Buffer.concat(output).toString("utf8") };
}
const shell = (script: string, more: Partial<ProgramToRun> = {}) => run("/bin/sh", ["-c", script], more);

/** The helper of this very process, once it has one. */
const helper = (): number | null => {
  const found = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" });
  return Number(/^\s*(\d+) .*launcher-main\.ts$/mu.exec(found)?.[1] ?? 0) || null;
};
const parentOfShell = async (): Promise<number> => Number((await shell("echo $PPID")).stdout);

describe.runIf(isPosix)("a program that a helper starts", () => {
  beforeAll(async () => {
    // The first ones are started by this process itself, the helper takes a moment to be there.
    await vi.waitUntil(async () => (await parentOfShell()) !== process.pid, { timeout: 60_000, interval: 1 });
  }, 60_000);

  test("reports its output, exit and folder, whichever process started it", async () => {
    expect(await parentOfShell()).toBe(helper());
    const end = await shell('cat; pwd; echo "$NAME"; echo wrong >&2; exit 3', {
      input: "read\n",
      env: { ...env, NAME: "only this" },
    });
    expect(end).toMatchObject({ exitCode: 3, signal: null, stderr: "wrong\n", isTimedOut: false });
    expect(end.stdout).toBe(`read\n${folder}\nonly this\n`);
    expect(await run("hox-no-such-program", [])).toMatchObject({ exitCode: null, error: { code: "ENOENT" } });
    expect(await shell(":", { cwd: join(folder, "gone") })).toMatchObject({ error: { code: "ENOENT" } });
    expect(await shell("kill -KILL $$")).toMatchObject({ exitCode: null, signal: "SIGKILL", error: null });
    const long = await shell("head -c 5000000 /dev/zero | tr '\\0' x");
    expect(long.stdout.length).toBe(5_000_000);
  });

  test("ends at its limit, on a cancel, and after enough output; one that ignores that is killed", async () => {
    expect(await shell("sleep 60", { timeoutMs: 100 })).toMatchObject({
      signal: "SIGTERM",
      isTimedOut: true,
    });
    const noMore = new AbortController();
    const deaf = "trap '' TERM; echo deaf; while :; do sleep 0.05; done";
    const args = ["-c", deaf];
    const ended = runProgram(
      { program: "/bin/sh", args, cwd: folder, env, timeoutMs: 60_000, signal: noMore.signal },
      () => noMore.abort(),
    );
    expect(await ended).toMatchObject({ signal: "SIGKILL", isCancelled: true });
    const cancel = new AbortController();
    const cancelled = shell("sleep 60", { signal: cancel.signal });
    cancel.abort();
    expect(await cancelled).toMatchObject({ signal: "SIGTERM", isCancelled: true });
    expect(await shell("echo never", { signal: cancel.signal })).toMatchObject({
      isCancelled: true,
      stdout: "",
    });
    const call = { program: "/usr/bin/yes", args: [], cwd: folder, env, timeoutMs: 60_000 };
    let heard = 0;
    const enough = await runProgram(call, (bytes) => {
      heard += bytes.length;
      return false;
    });
    expect(enough.exitCode).toBeNull();
    expect(heard).toBeGreaterThan(0);
    const broken = runProgram(call, () => {
      throw new Error("cannot be read");
    });
    await expect(broken).rejects.toThrow("cannot be read");
  });

  test("is ended with its helper, and the next one gets another helper", async () => {
    const first = helper();
    const running = shell("echo $$ > shell; exec sleep 60");
    await vi.waitUntil(() => existsSync(join(folder, "shell")), { timeout: 60_000 });
    process.kill(first ?? 0, "SIGKILL");
    expect(await running).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    const shellId = Number(readFileSync(join(folder, "shell"), "utf8"));
    await vi.waitUntil(() => !existsSync(`/proc/${shellId}/status`) || isZombie(shellId), {
      timeout: 60_000,
    });
    await vi.waitUntil(async () => (await parentOfShell()) !== process.pid, { timeout: 60_000, interval: 5 });
    expect(helper()).not.toBe(first);
  });

  test("runs to its end when the host is killed, and so does its helper", async () => {
    const file = JSON.stringify(fileURLToPath(new URL("run-program.ts", import.meta.url)));
    const script = `
      const { runProgram } = await import(${file});
      const call = (line) => ({ program: "/bin/sh", args: ["-c", line], cwd: ${JSON.stringify(folder)}, env: process.env, timeoutMs: 60_000 });
      let by = "";
      while (by === "" || Number(by) === process.pid) {
        by = "";
        await runProgram(call("echo $PPID"), (bytes) => { by += Buffer.from(bytes); });
      }
      void runProgram(call("echo begun > begun; while [ ! -e killed ]; do sleep 0.05; done; echo through > through"), () => {});
      console.log(by.trim());
    `;
    const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const helperId = await new Promise<number>((resolve) =>
      host.stdout.once("data", (bytes: Buffer) => resolve(Number(bytes.toString("utf8")))),
    );
    await vi.waitUntil(() => existsSync(join(folder, "begun")), { timeout: 60_000 });
    const killed = once(host, "exit");
    host.kill("SIGKILL");
    await killed;
    writeFileSync(join(folder, "killed"), "");
    await vi.waitUntil(() => existsSync(join(folder, "through")), { timeout: 60_000 });
    await vi.waitUntil(() => !existsSync(`/proc/${helperId}/status`) || isZombie(helperId), {
      timeout: 60_000,
    });
  });
});

/** Dead, and only its parent has not looked yet. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8").includes("State:\tZ");
  } catch {
    return true;
  }
}
