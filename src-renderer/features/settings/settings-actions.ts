import { defaultWindow, fontSizes, type Settings } from "#shared/contract/settings.ts";
import { client } from "../../client.ts";
import type { Action } from "../../registry/action.ts";
import { copyDiagnostics } from "../../state/diagnostics.ts";
import { attempt } from "../../state/notify.ts";
import { prefer, preferences } from "../../state/preferences.ts";
import { openDialog } from "../../state/selection-store.ts";

export const setTheme = (theme: Settings["theme"]): Promise<boolean> =>
  attempt("The theme was not changed", () => client.settings.change({ theme }));

/** Larger or smaller by a pixel, as far as it goes. */
export function stepFontSize(by: number): void {
  const { fontSize } = preferences();
  prefer({ fontSize: Math.min(fontSizes.most, Math.max(fontSizes.least, fontSize + by)) });
}

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
    id: "copy-diagnostics",
    title: "Copy diagnostics",
    group: "App",
    words: "help bug report log versions support",
    run: () => void copyDiagnostics(),
  },
  ...(["system", "light", "dark"] as const).map((theme) => ({
    id: `theme-${theme}`,
    title: `Theme: ${theme}`,
    group: "App" as const,
    words: "dark light colour bright night",
    run: () => void setTheme(theme),
  })),
  {
    id: "text-larger",
    title: "Larger text",
    group: "View",
    words: "font size bigger zoom in",
    available: () => preferences().fontSize < fontSizes.most,
    run: () => stepFontSize(1),
  },
  {
    id: "text-smaller",
    title: "Smaller text",
    group: "View",
    words: "font size zoom out",
    available: () => preferences().fontSize > fontSizes.least,
    run: () => stepFontSize(-1),
  },
  {
    id: "text-usual",
    title: "Default text size",
    group: "View",
    words: "font size reset zoom",
    available: () => preferences().fontSize !== defaultWindow.fontSize,
    run: () => prefer({ fontSize: defaultWindow.fontSize }),
  },
  {
    id: "density",
    title: "Toggle density: compact or comfortable",
    group: "View",
    words: "dense spacing room",
    run: () => prefer({ density: preferences().density === "compact" ? "comfortable" : "compact" }),
  },
];
