import { EventEmitter } from "node:events";
import type { BrowserWindow } from "electron";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { appPage } from "./app-origin.ts";
import { mendPage, PageRequests } from "./page-failures.ts";

vi.mock("electron", () => import("./testing/electron-stand-in.ts"));

class Page extends EventEmitter {
  isDevToolsOpened = vi.fn(() => false);
  forcefullyCrashRenderer = vi.fn(() =>
    this.emit("render-process-gone", {}, { reason: "killed", exitCode: 9 }),
  );
}
class Window extends EventEmitter {
  readonly webContents = new Page();
  loadURL = vi.fn(async (_address: string) => undefined);
  isDestroyed = () => false;
}

let window: Window;
const posted: unknown[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  posted.length = 0;
  const requests = new PageRequests();
  vi.spyOn(requests, "post").mockImplementation((request) => void posted.push(request));
  window = new Window();
  mendPage(window as unknown as BrowserWindow, requests);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it("ends a page that hangs for long, reloads it and says why", () => {
  window.emit("unresponsive");
  vi.advanceTimersByTime(9_900);
  expect(window.webContents.forcefullyCrashRenderer).not.toHaveBeenCalled();
  vi.advanceTimersByTime(200);
  expect(window.webContents.forcefullyCrashRenderer).toHaveBeenCalledOnce();
  expect(window.loadURL.mock.calls).toEqual([[appPage]]);
  expect(posted).toMatchObject([{ kind: "notice", text: expect.stringContaining("not responding") }]);
});

it("ignores a page that responds again, is being debugged, or was closed", () => {
  window.emit("unresponsive");
  vi.advanceTimersByTime(9_000);
  window.emit("responsive");
  vi.advanceTimersByTime(60_000);

  window.webContents.isDevToolsOpened.mockReturnValueOnce(true);
  window.emit("unresponsive");
  vi.advanceTimersByTime(60_000);

  window.emit("unresponsive");
  window.emit("closed");
  vi.advanceTimersByTime(60_000);
  expect(window.webContents.forcefullyCrashRenderer).not.toHaveBeenCalled();
  expect(posted).toEqual([]);
});
