import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { menuTemplate } from "./menu.ts";
import { folderArgument } from "./open-requests.ts";
import { readWindowState, writeWindowState } from "./window-state.ts";

vi.mock("electron", () => import("./testing/electron-stand-in.ts"));

const screens = [{ x: 0, y: 0, width: 1920, height: 1080 }];
const bounds = { x: 100, y: 50, width: 1200, height: 800 };
let folder: string;
beforeEach(() => {
  folder = tempDir();
});

it("restores its position, size and zoom", () => {
  expect(readWindowState(folder, screens)).toEqual({ bounds: null, maximized: false, zoom: 1 });
  writeWindowState(folder, { bounds, maximized: true, zoom: 1.25 });
  expect(readWindowState(folder, screens)).toEqual({ bounds, maximized: true, zoom: 1.25 });
  // A screen that is gone says nothing of a user's eyes.
  expect(readWindowState(folder, [])).toEqual({ bounds: null, maximized: false, zoom: 1.25 });
});

it("uses the defaults when nothing readable was saved", () => {
  for (const zoom of [undefined, 40, "large"]) {
    writeFileSync(join(folder, "window.json"), JSON.stringify({ bounds, maximized: false, zoom }));
    expect(readWindowState(folder, screens)).toEqual({ bounds, maximized: false, zoom: 1 });
  }
});

it("drops a position that no screen shows, and a damaged file", () => {
  for (const off of [{ x: 1900 }, { x: -1150 }, { y: -40 }, { y: 1040 }]) {
    writeWindowState(folder, { bounds: { ...bounds, ...off }, maximized: false, zoom: 1 });
    expect([off, readWindowState(folder, screens).bounds]).toEqual([off, null]);
  }
  writeFileSync(join(folder, "window.json"), '{"bounds":');
  expect(readWindowState(folder, screens).bounds).toBeNull();
});

it("opens the folder named on the command line", () => {
  expect(folderArgument(["/electron", "/app"], false, "/home")).toBeNull();
  expect(folderArgument(["/electron", "--no-sandbox", "/app", "repo"], false, "/home")).toBe(
    resolve("/home", "repo"),
  );
  expect(folderArgument(["/hox", "/repo", "--inspect"], true, "/home")).toBe(resolve("/repo"));
});

it("offers opening a repository in the menu, by key too, and developer tools only unpacked", () => {
  const openRepository = vi.fn();
  for (const mac of [true, false]) {
    const template = menuTemplate({ openRepository }, { mac, packaged: true });
    const text = JSON.stringify(template);
    expect(text).toContain('"accelerator":"CmdOrCtrl+O"');
    expect(text).not.toContain("toggleDevTools");
    expect(text.includes("appMenu")).toBe(mac);
    for (const zoom of ['{"role":"resetZoom"}', '{"role":"zoomOut"}', '{"role":"zoomIn"}', '"CmdOrCtrl+="'])
      expect(text).toContain(zoom);
  }
  expect(JSON.stringify(menuTemplate({ openRepository }, { mac: false, packaged: false }))).toContain(
    "toggleDevTools",
  );
});
