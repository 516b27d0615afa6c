import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenOf } from "#shared/contract/loopback.ts";
import { browserArguments, hasDisplay } from "./browser-window.ts";
import { toolPath } from "./config/tools.ts";
import { createTestRepository } from "./jj/testing/create-test-repository.ts";

const cli = fileURLToPath(new URL("cli.ts", import.meta.url));
const entry = fileURLToPath(new URL("headless.ts", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-serving-"));
  await writeFile(join(folder, "index.html"), "<!doctype html>");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the host; `said` resolves when its output fits. */
function start(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
  const child = spawn(process.execPath, [entry, "--state", join(folder, "state"), ...args], {
    env: { ...env, HOX_RENDERER: folder, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data.toString();
      for (const listener of listeners) listener();
    });
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const waitForOutput = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(output);
        if (found) resolve(found);
      };
      listeners.add(look);
      look();
      void exited.then(() => reject(new Error(`It ended:\n${output}`)));
    });
  return { child, waitForOutput, exited, output: () => output };
}

test("without a display prints the address and how to reach it, and ends in order on SIGTERM", async () => {
  const repository = await createTestRepository({ isUnique: true });
  try {
    const host = start(["--open", repository.repository.root]);
    const [, port] = await host.waitForOutput(/http:\/\/127\.0\.0\.1:(\d+)\/#token=[\w-]{43}/u);
    await host.waitForOutput(/ssh -N -L/u);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    host.child.kill("SIGTERM");
    expect(await host.exited).toBe(0);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  } finally {
    await repository.remove();
  }
});

test("a terminal of the same user gets another address while a host runs", async () => {
  const state = join(folder, "state");
  const hox = (...args: string[]) =>
    execa(process.execPath, [cli, "address", "--state", state, ...args], { reject: false });
  const host = start([]);
  const [printed, port] = await host.waitForOutput(/http:\/\/127\.0\.0\.1:(\d+)\/#token=[\w-]{43}/u);
  expect(host.output()).toContain("hox address");
  const { stdout } = await hox();
  expect(stdout).toMatch(new RegExp(`^http://127.0.0.1:${port}/#token=[\\w-]{43}$`, "u"));
  expect(stdout).not.toBe(printed);
  const origin = `http://127.0.0.1:${port}`;
  const entered = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: tokenOf(new URL(stdout).hash) }),
  });
  expect(entered.status).toBe(200);
  expect((await hox("--port", "1")).stderr).toContain("No `hox serve` is running on port 1");
  const [note = ""] = await readdir(join(state, "serving"));
  if (process.platform !== "win32")
    expect((await stat(join(state, "serving", note))).mode & 0o777).toBe(0o600);
  // One that was killed leaves its note, and nobody answers there.
  host.child.kill("SIGKILL");
  await host.exited;
  expect((await hox()).stderr).toContain("No `hox serve` is running here");
});

/** A program that stands in for another one and does what `script` says. */
async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test("Ctrl-C, SIGTERM and a closing terminal save first, also while jj runs", async () => {
  const repository = await createTestRepository({ isUnique: true });
  const jj = toolPath("jj");
  const slowly = await program("slow-jj", `sleep 0.2; exec "${jj}" "$@"`);
  try {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      const host = start([repository.repository.root], { HOX_JJ: slowly });
      await host.waitForOutput(/ssh -N -L/u);
      // Twice at once, as npm and the terminal do it: that is no impatience.
      host.child.kill(signal);
      host.child.kill(signal);
      expect([signal, await host.exited, host.output()]).toEqual([
        signal,
        0,
        expect.stringMatching(/^Saving.*Ctrl-C again/mu),
      ]);
    }
  } finally {
    await repository.remove();
  }
});

test("a program that hangs while a folder is opened does not block ending", {
  tags: ["long"],
}, async () => {
  const hanging = await program("hanging-jj", "exec sleep 60");
  await mkdir(join(folder, "with-jj", ".jj"), { recursive: true });
  const begin = async () => {
    const host = start([join(folder, "with-jj")], { HOX_JJ: hanging });
    await host.waitForOutput(/ssh -N -L/u);
    await new Promise((resolve) => setTimeout(resolve, 300));
    host.child.kill("SIGTERM");
    await host.waitForOutput(/^Saving… Waiting for .*\. Ctrl-C again/mu);
    return host;
  };
  const [patient, impatient] = await Promise.all([begin(), begin()]);
  await new Promise((resolve) => setTimeout(resolve, 700));
  impatient.child.kill("SIGINT");
  expect(await impatient.exited).toBe(130);
  expect(impatient.output()).toContain("Quit immediately.");
  expect(impatient.output()).not.toContain("Saving took too long");
  expect(await patient.exited).toBe(1);
  expect(patient.output()).toContain("Incomplete data is repaired at the next start");
});

test("a browser that does not start leaves the host and its address; closing one ends both", async () => {
  const display = { DISPLAY: ":none" };
  const broken = await program("broken-browser", "kill -ABRT $$");
  const host = start(["--open"], { ...display, HOX_BROWSER: broken });
  await host.waitForOutput(/window closed: .*broken-browser exited immediately \(SIGABRT\)/u);
  const [, port] = await host.waitForOutput(/http:\/\/127\.0\.0\.1:(\d+)\/#token=[\w-]{43}/u);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  host.child.kill("SIGTERM");
  expect(await host.exited).toBe(0);

  const closed = start(["--open"], { ...display, HOX_BROWSER: await program("closed-browser", "exit 0") });
  expect(await closed.exited).toBe(0);
  expect(closed.output()).not.toContain("window closed");
});

test("a port in use, and invalid values, are reported", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  try {
    const host = start(["--port", String(port)]);
    expect(await host.exited).toBe(1);
    expect(host.output()).toContain(`Port ${port} is in use`);
  } finally {
    taken.close();
  }
  const wrong = start(["--port", "high"]);
  expect(await wrong.exited).toBe(1);
  expect(wrong.output()).toContain("--port high");
});

test("a folder that cannot be opened is reported, and the host stays available", async () => {
  const host = start([join(folder, "nowhere")]);
  await host.waitForOutput(/No folder .*nowhere/u);
  host.child.kill("SIGTERM");
  expect(await host.exited).toBe(0);
});

test("the window has a separate profile, makes no network calls, and gives up its sandbox only as root", () => {
  const defaultArguments = browserArguments("http://127.0.0.1:1/", "/profile", false);
  expect(defaultArguments).toContain("--app=http://127.0.0.1:1/");
  expect(defaultArguments).toContain("--user-data-dir=/profile");
  expect(defaultArguments).toContain("--disable-background-networking");
  expect(defaultArguments).not.toContain("--no-sandbox");
  expect(browserArguments("http://127.0.0.1:1/", "/profile", true)).toContain("--no-sandbox");
  expect(hasDisplay("linux", {})).toBe(false);
  expect(hasDisplay("linux", { WAYLAND_DISPLAY: "wayland-0" })).toBe(true);
  expect(hasDisplay("darwin", {})).toBe(true);
});

test.each([
  [["--listen", "127.0.0.1:0", "--tls-cert", "cert.pem"], "TLS needs a certificate and its key."],
  [["--listen", "127.0.0.1:0", "--tls-key", "key.pem"], "TLS needs a certificate and its key."],
  [["--tls-cert", "cert.pem", "--tls-key", "key.pem"], "A certificate is only used for other people."],
])("refuses %s before anything is served", async (args, message) => {
  const host = start(args);
  expect(await host.exited).toBe(1);
  expect(host.output()).toContain(message);
});
