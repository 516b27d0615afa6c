import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { removeTree } from "../../disk/remove-tree.ts";
import type { CommandResult, Sandbox } from "../tool-interface.ts";
import { endOrphanedSandboxes } from "./process-tree.ts";
import { createSandbox } from "./sandbox.ts";
import { seccompFilter } from "./seccomp.ts";

let outside: string;
let workspace: string;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ allowUnsandboxed: false });
});
beforeEach(() => {
  outside = realpathSync(mkdtempSync(join(tmpdir(), "hox-hold-")));
  workspace = join(outside, "workspaces", "agent-1");
  mkdirSync(join(workspace, ".jj"), { recursive: true });
  writeFileSync(join(workspace, ".jj", "repo"), "/the/repository");
  mkdirSync(join(outside, "user", ".git"), { recursive: true });
  writeFileSync(join(outside, "user", ".env"), "canary");
  writeFileSync(join(outside, "user", ".git", "config"), "canary");
});
afterEach(() => removeTree(outside));

const run = (
  command: string,
  over: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<CommandResult> =>
  sandbox.run({
    command,
    workspace,
    environment: {},
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...over,
  });
const python = (script: string): string =>
  `cat > /tmp/script.py <<'END'\n${script}\nEND\npython3 /tmp/script.py`;
const output = async (command: string): Promise<string> => (await run(command)).output.trim();

describe.runIf(process.platform === "linux")("a command in its sandbox", () => {
  // Swaps a folder for a link out of the workspace and back, at full speed, without an open pipe of ours.
  const swapper = `mkdir -p sub/.husky; cat > /tmp/swap.py <<'END'
import os
while True:
    try: os.rename("sub", "real")
    except OSError: pass
    try: os.symlink("../../user", "sub")
    except OSError: pass
    try: os.unlink("sub")
    except OSError: pass
    try: os.rename("real", "sub")
    except OSError: pass
END
setsid python3 /tmp/swap.py >/dev/null 2>&1 </dev/null &
sleep 0.1`;

  it.each([
    ["its command ends", {}, ""],
    ["its time is up", { timeoutMs: 400 }, "; sleep 10"],
  ])("has no process left that swaps folders when %s", async (_, over, rest) => {
    for (let attempt = 0; attempt < 8; attempt++) {
      await run(`${swapper}${rest}`, over);
      const before = readdirSync(workspace).sort();
      expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain("/tmp/swap.py");
      expect(readdirSync(workspace).sort()).toEqual(before);
      expect(readdirSync(join(outside, "user")).sort()).toEqual([".env", ".git"]);
    }
  });

  it("has no process left when it was cancelled, even a stopped one", async () => {
    const stop = new AbortController();
    const marker = `61.${process.pid}`;
    const running = run(`sleep ${marker} & kill -STOP $!; touch started; kill -STOP $$`, {
      signal: stop.signal,
      timeoutMs: 120_000,
    });
    await expect.poll(() => existsSync(join(workspace, "started"))).toBe(true);
    const begun = performance.now();
    stop.abort();
    expect(await running).toMatchObject({ outcome: "cancelled" });
    // Long before its time limit.
    expect(performance.now() - begun).toBeLessThan(60_000);
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(`sleep ${marker}`);
  });

  it("has no process left once a killed host's clean-up is done", async () => {
    const host = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import { createSandbox } from ${JSON.stringify(new URL("./sandbox.ts", import.meta.url).href)};
        const sandbox = await createSandbox({ allowUnsandboxed: false });
        await sandbox.run({ command: "touch started; while :; do touch again; rm again; done", workspace: ${JSON.stringify(workspace)},
          environment: {}, timeoutMs: 60000, signal: new AbortController().signal });`,
      ],
      { stdio: "inherit" },
    );
    await expect.poll(() => existsSync(join(workspace, "started"))).toBe(true);
    // Its outer process alone: what is inside lives on for a while, as after a host that died at a bad moment.
    const ended = new Promise((resolve) => host.once("exit", resolve));
    host.kill("SIGKILL");
    await ended;
    await endOrphanedSandboxes(join(outside, "workspaces"));
    const before = statSync(workspace).mtimeMs;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(statSync(workspace).mtimeMs).toBe(before);
  });

  it("leaves what tools make in ignored places, and removes what would reach a commit", async () => {
    writeFileSync(join(workspace, ".gitignore"), "Cargo.lock\n/target/\n");
    const result = await run(
      "mkdir -p .pytest_cache target node_modules/x; echo '*' > .pytest_cache/.gitignore; echo 1 > Cargo.lock; " +
        "echo 1 > target/.npmrc; echo 1 > node_modules/x/CLAUDE.md; echo 1 > .env; mkdir __pycache__; echo 1 > __pycache__/.envrc",
    );
    expect([...result.restored].sort()).toEqual([".env", "__pycache__/.envrc", "node_modules/x/CLAUDE.md"]);
    for (const kept of [".pytest_cache/.gitignore", "Cargo.lock", "target/.npmrc"])
      expect(existsSync(join(workspace, kept))).toBe(true);
    // And lets tools go on with what is theirs.
    expect(await run("echo 2 >> Cargo.lock; echo '*' > .pytest_cache/.gitignore")).toMatchObject({
      exitCode: 0,
      restored: [],
    });
  });

  it("cannot keep a protected file behind names that are not UTF-8 or too deep", async () => {
    const result = await run(
      python(`
import os
for name in [b"a\\xff", b"z\\xfe"]:
    os.mkdir(name); open(name + b"/CLAUDE.md", "w").write("x"); os.mkdir(name + b"/.github")
for name in ["CLAUDE.md", ".npmrc", "GEMINI.md"]: open(name, "w").write("planted")
os.makedirs(".github/workflows"); open(".github/workflows/x.yml", "w").write("planted")
os.makedirs(".hox"); open(".hox/config.toml", "w").write("planted"); open(b".hox/\\xff", "w").write("x")
os.mkdir(".husky"); os.chdir(".husky")
for name in range(2500): os.mkdir("d"); os.chdir("d")`),
    );
    expect([...result.restored].sort()).toEqual([
      ".github",
      ".hox",
      ".husky",
      ".npmrc",
      "CLAUDE.md",
      "GEMINI.md",
      ...["a", "z"].flatMap((name) => [`${name}\ufffd/.github`, `${name}\ufffd/CLAUDE.md`]),
    ]);
    for (const name of ["a\xff", "z\xfe"])
      expect(readdirSync(Buffer.from(`${workspace}/${name}`, "latin1"))).toEqual([]);
    expect(readdirSync(workspace, { encoding: "latin1" }).sort()).toEqual([".jj", "aÿ", "zþ"]);
  });

  it("lists few of many restored paths", async () => {
    const { restored } = await run("for i in $(seq 500); do mkdir d$i; touch d$i/.env; done");
    expect(restored).toHaveLength(21);
    expect(restored.at(-1)).toBe("… and 480 more");
  });

  it("writes to no kernel file, root or not", async () => {
    const domain = readFileSync("/proc/sys/kernel/domainname", "utf8");
    const found = await output(
      "echo planted > /proc/sys/kernel/domainname; " +
        "find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print 2>/dev/null | while read -r file; do test -c $file || echo $file; done",
    );
    expect(readFileSync("/proc/sys/kernel/domainname", "utf8")).toBe(domain);
    expect(found.split("\n").filter((line) => line.startsWith("/proc/"))).toEqual([]);
    expect(await output("cat /proc/keys /proc/kallsyms 2>/dev/null | wc -c")).toBe("0");
  });

  it("has a read-only root, and no descriptor but its own", async () => {
    expect(await output("touch /planted")).toContain("Read-only file system");
    const open = await output("ls -l /proc/$$/fd | sed -n 's/.* -> //p'");
    expect(open.split("\n").filter((target) => !/^(\/dev\/null|socket:|pipe:)/u.test(target))).toEqual([]);
  });

  it("creates no namespaces, keys, unusual sockets or unmapped memory", async () => {
    const script = `
import ctypes, socket, os, errno
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, *args):
    ctypes.set_errno(0)
    result = libc.syscall(*args)
    print(name, errno.errorcode.get(ctypes.get_errno(), "done") if result == -1 else "done")
tried("unshare-user", ${process.arch === "x64" ? 272 : 97}, 0x10000000)
tried("unshare-pid", ${process.arch === "x64" ? 272 : 97}, 0x20000000)
tried("unshare-files", ${process.arch === "x64" ? 272 : 97}, 0x400)
tried("clone", ${process.arch === "x64" ? 56 : 220}, 0x10000000 | 17, 0, 0, 0, 0)
tried("thread-with-own-files", ${process.arch === "x64" ? 56 : 220}, 0x10000, 0, 0, 0, 0)
tried("close-in-own-copy", 436, 1000, 1001, 2)
tried("close", 436, 1000, 1001, 0)
tried("clone3", 435, 0, 0)
tried("keyctl", ${process.arch === "x64" ? 250 : 219}, 0, -3, 0)
tried("io_uring", 425, 1, 0)
tried("memfd", ${process.arch === "x64" ? 319 : 279}, b"x", 0)
tried("bpf", ${process.arch === "x64" ? 321 : 280}, 0, 0, 0)
tried("shm-large", ${process.arch === "x64" ? 29 : 194}, 0, 1 << 20, 0o1600)
tried("shm-huge", ${process.arch === "x64" ? 29 : 194}, 0, ctypes.c_ulong(1 << 32), 0o1600)
tried("shm-small", ${process.arch === "x64" ? 29 : 194}, 0, 56, 0o1600)
tried("set-large", ${process.arch === "x64" ? 64 : 190}, 0, 65, 0o1600)
tried("set-small", ${process.arch === "x64" ? 64 : 190}, 0, 17, 0o1600)
tried("tiocsti", ${process.arch === "x64" ? 16 : 29}, 0, 0x5412, b"x")
for family in [1, 2, 10, 16, 17, 38, 40]:
    try: socket.socket(family, socket.SOCK_DGRAM if family in (2, 10) else socket.SOCK_STREAM if family in (1, 40) else socket.SOCK_RAW if family != 38 else socket.SOCK_SEQPACKET); print("socket", family, "done")
    except OSError as error: print("socket", family, errno.errorcode[error.errno])
`;
    expect((await output(python(script))).split("\n")).toEqual([
      // Open files of its own would stand in no list of its process, where they are counted.
      ...["unshare-user EPERM", "unshare-pid EPERM", "unshare-files EPERM", "clone EPERM"],
      ...["thread-with-own-files EPERM", "close-in-own-copy EINVAL", "close done", "clone3 ENOSYS"],
      ...["keyctl EPERM", "io_uring ENOSYS", "memfd ENOSYS", "bpf EPERM"],
      ...["shm-large ENOSPC", "shm-huge ENOSPC", "shm-small done"],
      ...["set-large ENOSPC", "set-small done", "tiocsti EPERM"],
      ...["socket 1 done", "socket 2 done", "socket 10 done", "socket 16 done"],
      ...["socket 17 EAFNOSUPPORT", "socket 38 EAFNOSUPPORT", "socket 40 EAFNOSUPPORT"],
    ]);
  });

  it("still runs what builds and tests need: threads, children, local servers, a shared lock", async () => {
    const found = await output(
      `node -e 'const { Worker } = require("worker_threads"); new Worker("process.stdout.write(\\"thread\\\\n\\")", { eval: true });
        const server = require("net").createServer((one) => one.end("served\\n")).listen(0, "127.0.0.1", () =>
          require("net").connect(server.address().port, "127.0.0.1").on("data", (text) => { process.stdout.write(text); server.close(); }));
        console.log(String(require("child_process").execSync("echo child")).trim());'; ` +
        python(
          'import multiprocessing as m; lock = m.Lock(); p = m.Process(target=print, args=("forked",)); p.start(); p.join()',
        ),
    );
    expect(found.split("\n").sort()).toEqual(["child", "forked", "served", "thread"]);
  });

  it("reaches its allowed hosts through a proxy, and is told what was refused", async () => {
    const listed = await createSandbox({ allowUnsandboxed: false, hosts: ["registry.invalid"] });
    expect(listed.isolation.description).toContain("network access only to registry.invalid");
    // As a program that knows of proxies does; the user's Node may be one whose fetch does not.
    const get = (url: string) =>
      `node -e 'require("http").get({ host: "127.0.0.1", port: new URL(process.env.HTTP_PROXY).port, path: "${url}", headers: { host: new URL("${url}").host } }, (answer) => answer.pipe(process.stdout))'`;
    const result = await listed.run({
      command: `echo $CARGO_NET_OFFLINE-$HTTPS_PROXY; ${get("http://elsewhere.invalid/")}; exit 3`,
      workspace,
      environment: {},
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    });
    expect(result.exitCode).toBe(3);
    expect(result.output).toMatch(/^-http:\/\/127\.0\.0\.1:\d+\n/u);
    expect(result.output.trimEnd().split("\n").at(-1)).toMatch(/elsewhere\.invalid.*\[sandbox\]/u);
  });

  it("is stopped for unmapped files in memory", async () => {
    const small = await createSandbox({ allowUnsandboxed: false, limits: { wholeMemory: 200 * 2 ** 20 } });
    const result = await small.run({
      command: "head -c 400000000 /dev/zero > /tmp/heap; sleep 30",
      workspace,
      environment: {},
      timeoutMs: 25_000,
      signal: new AbortController().signal,
    });
    expect(result.output).toContain("used more than 200 MB of memory");
  });

  it("is not imitated by a program that always succeeds", async () => {
    const lying = await createSandbox({ allowUnsandboxed: false, program: "/bin/true" });
    expect(lying.isolation).toMatchObject({ kind: "none", allowed: false });
    const weak = join(outside, "weak");
    // Runs everything, and holds nothing in.
    writeFileSync(
      weak,
      `#!/bin/sh\n[ "$1" = --version ] && { echo "bubblewrap 0.8.0"; exit; }\nprintf '{"child-pid": %s}' $$ >&3\nshift 3\nexec "$@"\n`,
      { mode: 0o755 },
    );
    const open = await createSandbox({ allowUnsandboxed: false, program: weak });
    expect(open.isolation).toMatchObject({ kind: "none", allowed: false });
    expect(open.isolation.description).toMatch(
      /does not provide: .*no capabilities|its own process namespace/u,
    );
    rmSync(weak);
  });
});

it("has a filter for each processor that Hox runs on, and none for another", () => {
  expect(seccompFilter("x64")?.length).toBeGreaterThan(400);
  expect(seccompFilter("arm64")?.length).toBeGreaterThan(400);
  expect(seccompFilter("riscv64")).toBeNull();
});
