import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session, WebContents } from "electron";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Host } from "../host-interface.ts";
import { isAppFrame } from "./app-origin.ts";
import { answer } from "./app-protocol.ts";
import { openIpcPort } from "./ipc-port.ts";
import { lockContents, lockSession, openOutside } from "./lock-down.ts";
import { ipcMain, shell } from "./testing/electron-stand-in.ts";
import { windowOptions } from "./window.ts";

vi.mock("electron", () => import("./testing/electron-stand-in.ts"));
const attachPort = vi.hoisted(() => vi.fn());
vi.mock("../transport/serve-line.ts", () => ({ attachPort }));

const ownFrame = { origin: "app://hox", parent: null };
const foreignFrames = [
  ["another site", { origin: "https://example.org", parent: null }],
  ["another host of the scheme", { origin: "app://other", parent: null }],
  ["an opaque origin", { origin: "null", parent: null }],
  ["a file", { origin: "file://", parent: null }],
  ["a frame inside the page", { origin: "app://hox", parent: ownFrame }],
  ["a frame that has gone", null],
] as const;

describe("port handover", () => {
  const host = { router: {} } as Host;
  const actions = { onConnect: vi.fn(), showWindow: vi.fn() };
  openIpcPort(host, actions);
  beforeEach(() => vi.clearAllMocks());
  const port = () => ({ close: vi.fn() });

  it("serves the app's own page", () => {
    const own = port();
    ipcMain.emit("hox:connect", { senderFrame: ownFrame, sender: "its page", ports: [own] });
    ipcMain.emit("hox:show-window", { senderFrame: ownFrame });
    expect(attachPort).toHaveBeenCalledExactlyOnceWith(host, own);
    expect(actions.onConnect).toHaveBeenCalledExactlyOnceWith("its page");
    expect(actions.showWindow).toHaveBeenCalledOnce();
    expect(own.close).not.toHaveBeenCalled();
  });

  it.each(foreignFrames)("refuses %s and closes its port", (_who, senderFrame) => {
    const theirs = port();
    ipcMain.emit("hox:connect", { senderFrame, ports: [theirs] });
    ipcMain.emit("hox:show-window", { senderFrame });
    expect(attachPort).not.toHaveBeenCalled();
    expect(actions.onConnect).not.toHaveBeenCalled();
    expect(actions.showWindow).not.toHaveBeenCalled();
    expect(theirs.close).toHaveBeenCalled();
    expect(isAppFrame(senderFrame)).toBe(false);
  });

  it("accepts one port and survives none", () => {
    const surplus = port();
    ipcMain.emit("hox:connect", { senderFrame: ownFrame, ports: [port(), surplus] });
    expect(attachPort).toHaveBeenCalledTimes(1);
    expect(surplus.close).toHaveBeenCalled();
    ipcMain.emit("hox:connect", { senderFrame: ownFrame, ports: [] });
    expect(attachPort).toHaveBeenCalledTimes(1);
  });
});

describe("app://", () => {
  let outer: string;
  let folder: string;
  beforeAll(() => {
    outer = mkdtempSync(join(tmpdir(), "hox-app-"));
    folder = join(outer, "renderer");
    mkdirSync(join(folder, "assets"), { recursive: true });
    writeFileSync(join(outer, "secret.txt"), "secret");
    writeFileSync(join(folder, "index.html"), "<!doctype html>");
    writeFileSync(join(folder, "assets", "main.js"), "export {};");
    symlinkSync(join(outer, "secret.txt"), join(folder, "link.txt"));
  });
  afterAll(() => rmSync(outer, { recursive: true }));

  // A `Request` of the web cleans its address; what Chromium hands over is tried as it may arrive.
  const get = (url: string, method = "GET") => answer(folder, { url, method } as Request);

  it("serves the page and its files, each with the policy", async () => {
    const page = await get("app://hox/");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(await page.text()).toBe("<!doctype html>");
    const script = await get("app://hox/assets/main.js?v=1");
    expect(script.headers.get("content-type")).toMatch(/javascript/);
    for (const response of [page, script, await get("app://hox/nothing")]) {
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toMatch(/script-src 'self'(;|$)/);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it.each([
    "app://hox/../secret.txt",
    "app://hox/..%2fsecret.txt",
    "app://hox/assets/..%2F..%2Fsecret.txt",
    "app://hox/%2e%2e/secret.txt",
    "app://hox/..%5csecret.txt",
    "app://hox/..\\secret.txt",
    "app://hox//etc/passwd",
    "app://hox/%00",
    "app://hox/%",
    "app://hox/link.txt",
    "app://other/index.html",
    "file:///etc/passwd",
  ])("refuses %s", async (url) => {
    const response = await get(url);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("secret");
  });

  it("is read-only", async () => {
    expect((await get("app://hox/", "POST")).status).toBe(405);
  });
});

describe("a window", () => {
  it("has no access to Node", () => {
    const { webPreferences, ...rest } = windowOptions(
      "/p.cjs",
      { bounds: { x: 1, y: 2, width: 800, height: 600 }, maximized: false, zoom: 1 },
      true,
    );
    expect(webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      webviewTag: false,
    });
    expect(rest).toMatchObject({ x: 1, y: 2, width: 800, height: 600, show: false });
  });

  type Listener = (event: { url: string; preventDefault: () => void }) => void;

  function locked() {
    const listeners = new Map<string, Listener>();
    let opened: (details: { url: string }) => unknown = () => undefined;
    lockContents({
      on: (name: string, listener: Listener) => listeners.set(name, listener),
      setWindowOpenHandler: (handler: typeof opened) => {
        opened = handler;
      },
    } as unknown as WebContents);
    const prevented = (name: string, url: string): boolean => {
      const preventDefault = vi.fn();
      const listener = listeners.get(name);
      if (!listener) throw new Error(`nobody listens to ${name}`);
      listener({ url, preventDefault });
      return preventDefault.mock.calls.length > 0;
    };
    return { prevented, open: (url: string) => opened({ url }) };
  }

  it.each(["will-navigate", "will-frame-navigate", "will-redirect"])("stays where it is on %s", (name) => {
    const { prevented } = locked();
    for (const url of [
      "https://example.org/",
      "file:///etc/passwd",
      "app://other/",
      "javascript:1",
      "data:text/html,x",
      "",
    ]) {
      expect([url, prevented(name, url)]).toEqual([url, true]);
    }
    expect(prevented(name, "app://hox/")).toBe(false);
  });

  /** What Linux opens things with, in `root`; elsewhere Electron asks the system. The answer names what it was told. */
  const desktopIn = (root: string): string => {
    const reported = join(root, "told");
    const bin = join(root, "bin");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "xdg-open"),
      `#!/bin/sh\ncase "$1" in *unreadable) exit 3;; esac\necho "$1" >> ${reported}\nenv >> ${reported}\n`,
      { mode: 0o755 },
    );
    vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-canary-0123456789");
    return reported;
  };

  it("attaches no webview and opens no window; only web addresses go to the browser", async () => {
    const { prevented, open } = locked();
    const root = mkdtempSync(join(tmpdir(), "hox-open-"));
    try {
      const reported = desktopIn(root);
      const opened = (): readonly string[] =>
        process.platform === "linux"
          ? readFileSync(reported, "utf8")
              .split("\n")
              .filter((line) => !/^\w+=/u.test(line) && line !== "")
          : shell.openExternal.mock.calls.flat();
      expect(prevented("will-attach-webview", "app://hox/")).toBe(true);
      shell.openExternal.mockClear();
      expect(open("https://example.org/a")).toEqual({ action: "deny" });
      for (const url of [
        "http://example.org",
        "file:///bin/sh",
        "ms-settings:",
        "https://a:b@example.org",
        "not one",
      ]) {
        expect(open(url)).toEqual({ action: "deny" });
        expect(openOutside(url)).toBe(false);
      }
      expect(open("https://example.org/b")).toEqual({ action: "deny" });
      await expect
        .poll(() => [...opened()].sort())
        .toEqual(["https://example.org/a", "https://example.org/b"]);
      if (process.platform === "linux") expect(readFileSync(reported, "utf8")).not.toContain("canary");
    } finally {
      vi.unstubAllEnvs();
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("may only write to the clipboard and show notifications, for its own page", () => {
    type Request = Parameters<NonNullable<Parameters<Session["setPermissionRequestHandler"]>[0]>>;
    let ask: (...request: Request) => void = () => undefined;
    let check: (contents: null, permission: string, origin: string) => boolean = () => true;
    let device: () => boolean = () => true;
    lockSession({
      setPermissionRequestHandler: (handler: typeof ask) => {
        ask = handler;
      },
      setPermissionCheckHandler: (handler: typeof check) => {
        check = handler;
      },
      setDevicePermissionHandler: (handler: typeof device) => {
        device = handler;
      },
    } as unknown as Session);
    const asked = (permission: string, mainFrame: unknown): boolean => {
      const decide = vi.fn();
      ask({ mainFrame } as Request[0], permission as Request[1], decide, {} as Request[3]);
      return decide.mock.calls[0]?.[0];
    };
    expect(asked("notifications", ownFrame)).toBe(true);
    expect(check(null, "clipboard-sanitized-write", "app://hox/")).toBe(true);
    for (const permission of [
      "media",
      "geolocation",
      "clipboard-read",
      "openExternal",
      "fileSystem",
      "hid",
    ]) {
      expect([permission, asked(permission, ownFrame)]).toEqual([permission, false]);
      expect([permission, check(null, permission, "app://hox/")]).toEqual([permission, false]);
    }
    expect(asked("notifications", { origin: "https://example.org", parent: null })).toBe(false);
    expect(check(null, "notifications", "https://example.org")).toBe(false);
    expect(device()).toBe(false);
  });
});
