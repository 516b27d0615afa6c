import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { toolPath } from "../../config/tools.ts";
import { eventually, tempDir, watchTimers } from "../../testing/kit.ts";
import type { CommandResult, Sandbox } from "../tool-interface.ts";
import { createSandbox, seatbeltProfile } from "./sandbox.ts";
import { noToolchains } from "./toolchains.ts";

const canary = "canary-0815-super-secret";
let outside: string;
let workspace: string;

beforeEach(() => {
  outside = tempDir();
  workspace = join(outside, "workspace");
  mkdirSync(join(workspace, ".jj"), { recursive: true });
  mkdirSync(join(workspace, "packages/app"), { recursive: true });
  writeFileSync(join(outside, "secret"), canary);
  writeFileSync(join(workspace, ".jj", "repo"), "/the/repository");
  writeFileSync(join(workspace, ".env"), "KEY=value");
  writeFileSync(join(workspace, "packages/app/yarn.lock"), "locked");
  writeFileSync(join(workspace, "a.txt"), "text");
});

type Run = (
  command: string,
  over?: { timeoutMs?: number; signal?: AbortSignal; folder?: string },
) => Promise<CommandResult>;
const runner =
  (sandbox: () => Sandbox): Run =>
  (command, over = {}) =>
    sandbox().run({
      command,
      workspace,
      environment: {},
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      ...over,
    });

/** Everything of the workspace, to show that nothing changed. */
const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(workspace, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name),
        readFileSync(join(entry.parentPath, entry.name), "utf8"),
      ]),
  );

describe.runIf(process.platform === "linux")("bubblewrap", () => {
  let sandbox: Sandbox;
  const run = runner(() => sandbox);
  beforeAll(async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", canary);
    sandbox = await createSandbox({ allowUnsandboxed: false });
    vi.unstubAllEnvs();
  });

  it("reports what is in force", () => {
    expect(sandbox.isolation).toMatchObject({
      kind: "bubblewrap",
      allowed: true,
      version: expect.stringMatching(/^\d/),
    });
  });

  it("runs in the workspace with the programs of this machine", async () => {
    const result = await run("pwd; node --version; cat a.txt > b.txt; ls", { folder: "." });
    expect(result).toMatchObject({ outcome: "exited", exitCode: 0, restored: [] });
    expect(result.output).toContain(workspace);
    expect(result.output).toMatch(/v\d+\./);
    expect(readFileSync(join(workspace, "b.txt"), "utf8")).toBe("text");
    expect(await run("no-such-program")).toMatchObject({ outcome: "missing" });
    expect(await run("exit 3")).toMatchObject({ outcome: "exited", exitCode: 3 });
    await expect(run("true", { folder: ".." })).rejects.toMatchObject({ kind: "outside-workspace" });
  });

  it("shows nothing of our environment, home, other folders or processes", async () => {
    vi.stubEnv("HOX_CANARY", "visible-canary");
    try {
      const result = await run(
        `env; cat /proc/*/environ; cat ${outside}/secret; ls ${outside}; ls -a ${homedir()}; cat /etc/shadow; ls /proc; cat ~/.ssh/*; true`,
      );
      expect(result.output).not.toContain("visible-canary");
      expect(result.output).not.toContain(canary);
      expect(result.output).not.toContain("root:$");
      expect(result.output).not.toContain(".ssh/id");
      expect(result.output.split("\n").filter((line) => /^\d+$/.test(line)).length).toBeLessThan(8);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("hides a printed secret, also in pieces and in base64", async () => {
    const result = await run(
      `printf canary-0815-; sleep 0.2; printf 'super-secret\\n'; printf ${canary} | base64; echo fine`,
    );
    expect(result.output).toContain("[redacted]");
    expect(result.output).toContain("fine");
    expect(result.output).not.toContain("super-secret");
    expect(result.output).not.toContain(Buffer.from(canary).toString("base64").slice(0, 20));
  });

  it("has no network, not even our own ports", async () => {
    const server = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const script = `fetch("http://127.0.0.1:${port}").then(() => console.log("reached"), () => console.log("refused"));
      require("dns").lookup("example.com", (error) => console.log(error ? "no name" : "reached"));`;
    const result = await run(`node -e '${script}'`);
    server.close();
    expect(result.output.trim().split("\n").sort()).toEqual(["no name", "refused"]);
  });

  it.each([
    "echo x > .env",
    "sed -i s/value/other/ .env",
    "echo x | tee .env",
    "rm -f .env",
    "mv .env moved",
    "chmod 777 .env",
    "ln -f a.txt .env",
    "ln .env other && echo x > other",
    'node -e \'require("fs").writeFileSync(".env", "x")\'',
    "echo x > .jj/repo",
    "echo x > .jj/workspace-config.toml",
    "mv .jj away; mkdir .jj; echo x > .jj/repo",
    "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
    "mkdir -p .github/workflows && echo x > .github/workflows/ci.yml",
    "echo x > AGENTS.md",
    "echo x > .ENV",
    "mkdir .husky; ln -s ../a.txt .husky/x",
    "echo x > packages/app/yarn.lock",
    "mv packages other; mkdir -p packages/app; echo x > packages/app/yarn.lock; rm -rf other",
    "echo x > ../secret",
    `echo x > ${tmpdir()}/hox-escaped`,
    "echo x > /usr/bin/hox-escaped",
    "mkdir -p .husky/deep; touch .husky/deep/x; chmod 000 .husky/deep .husky",
    "umount .env; echo x > .env",
    "unshare -Urm sh -c 'umount .env; mount -o remount,rw,bind .env; echo x > .env; echo x > .jj/repo'",
    "mount -o remount,rw,bind .env; echo x > .env",
  ])("changes nothing: %s", async (command) => {
    const before = contents();
    await run(command);
    expect(contents()).toEqual(before);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(canary);
    expect(existsSync(join(tmpdir(), "hox-escaped"))).toBe(false);
    expect(existsSync("/usr/bin/hox-escaped")).toBe(false);
  });

  it("uses the list of the command's own repository", async () => {
    const command = {
      command: "echo x > .env; echo x > a.txt",
      workspace,
      environment: {},
      timeoutMs: 20_000,
    };
    await sandbox.run({ ...command, signal: new AbortController().signal, protectedFiles: ["a.txt"] });
    expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("x\n");
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("text");
  });

  it("guards behind any number of files too, and next to a folder too deep for a path", async () => {
    const timeoutMs = 120_000;
    await run(`mkdir '!heap' && cd '!heap' && seq 50001 | xargs touch`, { timeoutMs });
    const result = await run(
      "echo pwned > .jj/repo; echo pwned > .env; echo pwned > AGENTS.md; " +
        "i=0; while [ $i -lt 50 ]; do n=$(printf %0100d $i); mkdir $n; cd $n; i=$((i+1)); done",
      { timeoutMs },
    );
    expect(result.restored).toEqual(["AGENTS.md"]);
    expect(readFileSync(join(workspace, ".jj/repo"), "utf8")).toBe("/the/repository");
    expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("KEY=value");
    expect(existsSync(join(workspace, "AGENTS.md"))).toBe(false);
    await run("rm -rf 0* '!heap'", { timeoutMs });
  });

  it("gives a command little memory for files", async () => {
    const { output } = await run("df -k --output=avail /tmp /run /dev/shm | tail -n +2; touch /dev/planted");
    const sizes = output
      .split("\n")
      .filter((line) => /^\s*\d+$/.test(line))
      .map(Number);
    expect(sizes).toHaveLength(3);
    for (const size of sizes) expect(size).toBeLessThanOrEqual(1024 * 1024);
    expect(output).toContain("Read-only file system");
  });

  it("passes none of our inherited descriptors to a command", async () => {
    const program = `
      import { createSandbox } from ${JSON.stringify(new URL("./sandbox.ts", import.meta.url).href)};
      const sandbox = await createSandbox({ allowUnsandboxed: false });
      const { output } = await sandbox.run({
        command: "cat /proc/self/fd/99/secret; ls -l /proc/self/fd/", workspace: ${JSON.stringify(workspace)}, environment: {},
        timeoutMs: 20_000, signal: new AbortController().signal,
      });
      console.log(output);`;
    // As from an editor's terminal that leaks one of its own. Node closes the first sixteen, and an open folder is a
    // way out of the sandbox.
    const leaking = `exec 99<"$1"; shift; exec "$@"`;
    const node = [process.execPath, "--input-type=module", "-e", program];
    const output = execFileSync("/bin/bash", ["-c", leaking, "bash", outside, ...node], { encoding: "utf8" });
    expect(output).not.toContain(canary);
    expect(output).not.toContain(outside);
  });

  it("restores a protected link, which a mount cannot protect", async () => {
    symlinkSync("a.txt", join(workspace, ".envrc"));
    const result = await run("rm .envrc; echo planted > .envrc; mkdir .husky; rm -rf .husky");
    expect(result.restored).toEqual([".envrc"]);
    expect(readlinkSync(join(workspace, ".envrc"))).toBe("a.txt");
  });

  it("lists what it restored, and leaves no empty files behind", async () => {
    expect(await run("echo x > CLAUDE.md")).toMatchObject({ restored: ["CLAUDE.md"] });
    await run("true");
    expect(readdirSync(workspace).sort()).toEqual([".env", ".jj", "a.txt", "packages"]);
  });

  it("kills the whole tree on cancel, even what left its session and ignores signals", async () => {
    const stop = new AbortController();
    const marker = `hox-${process.pid}-${Date.now()}`;
    const running = run(
      `setsid sh -c 'trap "" TERM INT HUP; touch started; while :; do sleep 0.1; echo ${marker} > /dev/null; done' & sleep 60`,
      { signal: stop.signal },
    );
    await expect.poll(() => existsSync(join(workspace, "started")), { timeout: 60_000 }).toBe(true);
    expect(processesWith(marker)).toBeGreaterThan(0);
    stop.abort();
    expect(await running).toMatchObject({ outcome: "cancelled", exitCode: null });
    // Left alone they would run for a minute.
    await expect.poll(() => processesWith(marker), { timeout: 60_000 }).toBe(0);
  });

  it("leaves nothing running when our own process is killed", async () => {
    const marker = `orphan-${process.pid}-${Date.now()}`;
    const host = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import { createSandbox } from ${JSON.stringify(new URL("./sandbox.ts", import.meta.url).href)};
        const sandbox = await createSandbox({ allowUnsandboxed: false });
        await sandbox.run({ command: "setsid sh -c 'sleep 60; : ${marker}' & touch started; sleep 60", workspace: ${JSON.stringify(workspace)},
          environment: {}, timeoutMs: 60000, signal: new AbortController().signal });`,
      ],
      { stdio: "inherit", cwd: fileURLToPath(new URL("../../..", import.meta.url)) },
    );
    await expect.poll(() => existsSync(join(workspace, "started")), { timeout: 60_000 }).toBe(true);
    const inside = (): number => processesWith(`: ${marker}`, "bwrap");
    expect(inside()).toBeGreaterThan(0);
    host.kill("SIGKILL");
    await expect.poll(inside, { timeout: 60_000 }).toBe(0);
  });

  it("ends at the time limit and keeps the output", async () => {
    const passTime = watchTimers();
    const timeoutMs = 200_000;
    const running = run("echo begun; touch begun; sleep 100", { timeoutMs });
    await eventually(() => expect(existsSync(join(workspace, "begun"))).toBe(true));
    passTime(timeoutMs);
    const result = await running;
    expect(result).toMatchObject({ outcome: "timed-out", exitCode: null, output: "begun\n" });
    expect(result.ms).toBeLessThan(100_000);
  });

  it("limits 100 MB of output without a line break", async () => {
    const before = process.memoryUsage().rss;
    const result = await run("head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end");
    expect(result.bytes).toBe(100_000_005);
    expect(result.output.length).toBeLessThan(40_000);
    expect(result.output).toMatch(/^x+\n… \d+ characters left out \(100000005 bytes in all\) …\nx+\nend\n$/);
    expect(result.log).toBeNull();
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it("keeps the whole of a long output in a log", async () => {
    const logFolder = join(outside, "logs");
    const logging = await createSandbox({ allowUnsandboxed: false, logFolder });
    expect((await runner(() => logging)("echo short")).log).toBeNull();
    const { log } = await runner(() => logging)("seq 1 30000");
    expect(readFileSync(log ?? "", "utf8")).toBe(
      `${Array.from({ length: 30_000 }, (_, index) => index + 1).join("\n")}\n`,
    );
    expect(readdirSync(logFolder)).toHaveLength(1);
  });

  it("removes terminal control, gives no input, and enforces its limits", async () => {
    const escapes = await run(
      "printf 'a\\033[31mred\\033[0m\\033]8;;http://x\\007link\\033]8;;\\007\\rb\\n'; read x || echo no-input",
    );
    expect(escapes.output).toBe("aredlink\nb\nno-input\n");
    const large = await run("head -c 1200000000 /dev/zero > big; ls -l big | cut -d' ' -f5; rm -f big", {
      timeoutMs: 120_000,
    });
    expect(large.output).toContain("1073741824");
  });

  it("stops a tree whose processes together use too much memory", async () => {
    const small = await createSandbox({
      allowUnsandboxed: false,
      limits: { wholeMemory: 300 * 2 ** 20 },
    });
    const hold = `node -e "globalThis.held = Buffer.alloc(120e6, 1); setTimeout(() => {}, 60000)"`;
    const result = await runner(() => small)(`${`${hold} & `.repeat(6)} wait`, { timeoutMs: 50_000 });
    expect(result.outcome).toBe("exited");
    expect(result.output).toContain("used more than 300 MB of memory");
  }, 90_000);

  it("stops a fork bomb", async () => {
    const bombed = await createSandbox({ allowUnsandboxed: false, limits: { processes: 60 } });
    const result = await runner(() => bombed)(
      "i=0; while [ $i -lt 400 ]; do sleep 30 & i=$((i+1)); done; wait",
      {
        timeoutMs: 60_000,
      },
    );
    expect(result.output).toContain("more than 60 processes");
    // Left alone it would go on for longer than each of its processes.
    expect(result.ms).toBeLessThan(30_000);
  });
});

describe("without a sandbox", () => {
  it.skipIf(process.platform !== "linux")("runs nothing once its program is gone", async () => {
    const program = join(workspace, "..", "vanishing-bwrap");
    writeFileSync(program, `#!/bin/sh\nexec '${toolPath("sandbox")}' "$@"\n`, { mode: 0o755 });
    const sandbox = await createSandbox({ allowUnsandboxed: true, program });
    expect(await runner(() => sandbox)("echo works")).toMatchObject({ exitCode: 0 });
    rmSync(program);
    await expect(runner(() => sandbox)("touch ran")).rejects.toMatchObject({
      name: "ToolMissing",
      tool: "sandbox",
    });
    expect(existsSync(join(workspace, "ran"))).toBe(false);
  });

  it("refuses until the user has allowed it", async () => {
    const refusing = await createSandbox({ allowUnsandboxed: false, program: null });
    expect(refusing.isolation).toMatchObject({ kind: "none", allowed: false });
    await expect(runner(() => refusing)("touch ran")).rejects.toMatchObject({ kind: "sandbox-missing" });
    expect(existsSync(join(workspace, "ran"))).toBe(false);

    const broken = await createSandbox({ allowUnsandboxed: false, program: "/bin/false" });
    expect(broken.isolation).toMatchObject({ kind: "none", allowed: false });

    const allowed = await createSandbox({ allowUnsandboxed: true, program: null });
    expect(allowed.isolation.description).toContain("WITHOUT a sandbox");
    vi.stubEnv("HOX_CANARY", "visible-canary");
    const result = await runner(() => allowed)("env; echo x > AGENTS.md; sleep 0.1");
    vi.unstubAllEnvs();
    expect(result).toMatchObject({ exitCode: 0, restored: ["AGENTS.md"] });
    expect(result.output).not.toContain("visible-canary");
  });
});

describe("seatbelt", () => {
  it("writes a profile that denies first and protects last", () => {
    const profile = seatbeltProfile({
      workspace: '/w "x"',
      private: ["/t", "/home"],
      guarded: [{ path: ".jj", identity: "1:2", link: null }],
      toolchains: { ...noToolchains, readable: ["/opt/node"] },
    });
    const lines = profile.split("\n");
    expect(lines[1]).toBe("(deny default)");
    expect(lines.at(-1)).toBe('(deny file-write* (subpath "/w \\"x\\"/.jj"))');
    expect(profile).toContain("(deny network*)");
    expect(profile).toContain(
      '(allow file-read* file-write* (subpath "/w \\"x\\"") (subpath "/t") (subpath "/home"))',
    );
    expect(profile).not.toContain(homedir());
  });
});

/** Processes whose command line has the marker; those of the test's own host and of `ps` do not count. */
function processesWith(marker: string, without?: string): number {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .filter(
      (line) =>
        line.includes(marker) && !line.includes("--input-type") && !(without && line.includes(without)),
    ).length;
}
