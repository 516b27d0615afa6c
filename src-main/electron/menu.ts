import { app, Menu, type MenuItemConstructorOptions } from "electron";
import { openOutside } from "./lock-down.ts";

export interface MenuActions {
  readonly openRepository: () => void;
}

/** The system's menu: what every app has, and opening a repository. The rest is in the window's own palette. */
export function menuTemplate(
  { openRepository }: MenuActions,
  { mac, packaged }: { readonly mac: boolean; readonly packaged: boolean },
): MenuItemConstructorOptions[] {
  return [
    ...(mac ? [{ role: "appMenu" } as const] : []),
    {
      label: "&File",
      submenu: [
        { label: "&Open Repository…", accelerator: "CmdOrCtrl+O", click: openRepository },
        { type: "separator" },
        mac ? { role: "close" } : { role: "quit" },
      ],
    },
    { role: "editMenu" },
    {
      label: "&View",
      submenu: [
        { role: "reload" },
        ...(packaged ? [] : [{ role: "toggleDevTools" } as const]),
        { type: "separator" },
        { role: "resetZoom" },
        { role: "zoomIn" },
        // For keyboards with plus above equals: no Shift needed.
        { role: "zoomIn", accelerator: "CmdOrCtrl+=", visible: false, acceleratorWorksWhenHidden: true },
        { role: "zoomOut" },
        { type: "separator" },
        { role: "togglefullscreen" },
      ],
    },
    { role: "windowMenu" },
    {
      role: "help",
      submenu: [{ label: "About Jujutsu", click: () => void openOutside("https://github.com/jj-vcs/jj") }],
    },
  ];
}

export function showMenu(actions: MenuActions): void {
  const surroundings = { mac: process.platform === "darwin", packaged: app.isPackaged };
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(actions, surroundings)));
}
