/** The real browser opens the window, and nobody else on the machine learns how to get in. */

import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { browserFolder, removeAbandoned, writeOpeningPage } from "./browser-window.ts";
import { findTool, toolPath } from "./config/tools.ts";
import { eventually, tempDir } from "./testing/kit.ts";

const entry = fileURLToPath(new URL("headless.ts", import.meta.url));
const page = `const token = /token=([\\w-]+)/.exec(location.hash)?.[1];
fetch("/session", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) });`;

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

/** Looks again and again at every process and at every page of the state folder, until it is ended. */
const spy = (state: string): string => `while :; do
  for one in /proc/[0-9]*; do tr '\\0' ' ' < $one/cmdline; tr '\\0' ' ' < $one/environ; done 2>/dev/null
  cat ${state}/browser/*/* ${state}/serving/* 2>/dev/null
done | grep -aoE --line-buffered 'token=[A-Za-z0-9_-]{20,}|"secre[t]":"[A-Za-z0-9_-]{20,}'`;

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

test.runIf(process.platform === "linux" && findTool("browser").found)(
  "the window's address is in no command line and not readable by other users",
  async () => {
    // Another user gets as far as the state folder; what keeps them out has to be Hox's own doing.
    for (let at = folder; at !== tmpdir(); at = join(at, "..")) await chmod(at, 0o755);
    const renderer = join(folder, "renderer");
    const state = join(folder, "state");
    mkdirSync(renderer);
    mkdirSync(state);
    writeFileSync(join(renderer, "index.html"), '<!doctype html><script src="/main.js"></script>');
    writeFileSync(join(renderer, "main.js"), page);
    // The same browser without a screen, which starts once its page was looked at.
    const browser = join(folder, "browser");
    const looked = join(folder, "looked");
    writeFileSync(
      browser,
      `#!/bin/sh\nwhile [ ! -e ${looked} ]; do sleep 0.1; done\nsleep 1\nexec ${toolPath("browser")} --headless=new --disable-gpu "$@"\n`,
    );
    chmodSync(browser, 0o755);

    const seen: string[] = [];
    // As another user where that is possible; else as this one, who could read the page itself and looks at processes.
    const spying = spawn("/bin/sh", ["-c", spy(isRoot ? state : "/nowhere")], {
      stdio: ["ignore", "pipe", "ignore"],
      // A group of its own, so that its pipeline ends with it.
      detached: true,
      ...(isRoot ? { uid: nobody, gid: nobody } : {}),
    });
    spying.stdout.on("data", (data: Buffer) => seen.push(data.toString()));
    const host = spawn(process.execPath, [entry, "--state", state, "--open"], {
      env: { ...process.env, HOX_RENDERER: renderer, HOX_BROWSER: browser, DISPLAY: ":none" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<number | null>((resolve) => host.once("exit", resolve));
    let output = "";
    host.stdout.on("data", (data: Buffer) => {
      output += data;
    });
    try {
      const own = join(state, "browser", String(host.pid));
      const written = (): string => readFileSync(join(own, "open.html"), "utf8");
      await eventually(() => expect(written(), output).toMatch(/#token=[\w-]{43}/u));
      expect(statSync(own).mode & 0o777).toBe(0o700);
      expect(statSync(join(own, "open.html")).mode & 0o777).toBe(0o600);
      writeFileSync(looked, "");
      // It goes as soon as the window is in, long before it would go by itself.
      await eventually(() => expect(existsSync(join(own, "open.html")), output).toBe(false));
      expect(seen.join("")).toBe("");
      const commands = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
      expect(commands).toContain(`--app=file://${own}/open.html`);
      expect(commands).not.toContain("#token=");
    } finally {
      host.kill("SIGTERM");
      if (spying.pid) process.kill(-spying.pid, "SIGKILL");
    }
    expect(await ended).toBe(0);
    expect(readdirSync(join(state, "browser"))).toEqual([]);
    expect(readdirSync(join(state, "serving"))).toEqual([]);
  },
);

test("the page is written to no folder that others may enter, and overwrites nothing", async () => {
  const open = join(folder, "open");
  mkdirSync(open, { mode: 0o755 });
  chmodSync(open, 0o755);
  if (process.platform !== "win32")
    await expect(writeOpeningPage(open, "http://127.0.0.1:1/#token=x")).rejects.toThrow(
      "Other users can access",
    );
  const own = join(folder, "own");
  await (await writeOpeningPage(own, "http://127.0.0.1:1/#token=x")).remove();
  expect(readdirSync(own)).toEqual([]);
  symlinkSync(join(folder, "elsewhere"), join(own, "open.html"));
  await expect(writeOpeningPage(own, "http://127.0.0.1:1/#token=x")).rejects.toThrow("EEXIST");
  expect(existsSync(join(folder, "elsewhere"))).toBe(false);
});

test("browsers that cannot enter hidden folders get another one, and leftovers of a killed host are removed", async () => {
  const script = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o755 });
    return join(folder, name);
  };
  const of = (browser: string): Promise<string> => browserFolder(browser, "/state", "/home/ann");
  expect(await of(script("chromium", "#!/bin/sh\nexec /usr/lib/chromium/chromium\n"))).toBe("/state/browser");
  expect(await of(script("chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n'))).toBe(
    "/home/ann/snap/chromium/common/hox",
  );
  expect(
    await of(script("org.chromium.Chromium", '#!/bin/sh\nexec /usr/bin/flatpak run --branch=stable "$@"\n')),
  ).toBe("/home/ann/.var/app/org.chromium.Chromium/data/hox");

  const gone = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => gone.once("exit", resolve));
  for (const name of [String(gone.pid), String(process.pid), "other"])
    mkdirSync(join(folder, "kept", name), { recursive: true });
  await removeAbandoned(join(folder, "kept"));
  expect(readdirSync(join(folder, "kept")).sort()).toEqual([String(process.pid), "other"].sort());
});
