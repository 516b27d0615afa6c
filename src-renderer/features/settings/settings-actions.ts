import type { Settings } from "#shared/contract/views/settings.ts";
import { client } from "../../client.ts";
import type { Action } from "../../registry/action.ts";
import { attempt } from "../../state/notice-store.ts";
import { openDialog } from "../../state/selection-store.ts";

export const setTheme = (theme: Settings["theme"]): Promise<boolean> =>
  attempt("The theme was not changed", () => client.settings.change({ theme }));

export const settingsActions: readonly Action[] = [
  {
    id: "settings",
    title: "Settings…",
    group: "App",
    keys: "mod+,",
    words: "preferences key model",
    whileTyping: true,
    run: () => openDialog("settings"),
  },
  {
    id: "theme-system",
    title: "Theme: as the system",
    group: "App",
    words: "dark light colour",
    run: () => void setTheme("system"),
  },
  {
    id: "theme-light",
    title: "Theme: light",
    group: "App",
    words: "colour bright",
    run: () => void setTheme("light"),
  },
  {
    id: "theme-dark",
    title: "Theme: dark",
    group: "App",
    words: "colour night",
    run: () => void setTheme("dark"),
  },
];
