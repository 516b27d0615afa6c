import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Settings } from "#shared/contract/views/settings.ts";
import { defaultWindow } from "#shared/contract/views/window-preferences.ts";
import { windowFields } from "#shared/contract/window-fields.ts";
import { writeFileAtomically } from "./atomic-file.ts";

export const defaultSettings: Settings = {
  theme: "system",
  model: "claude-sonnet-5-5",
  maxParallelAgents: 4,
  defaultMicroDollars: 5_000_000,
  defaultTokens: null,
  allowUnsandboxed: false,
  openIn: { editor: "", terminal: "", files: "" },
  window: defaultWindow,
};

const command = z
  .string()
  .max(500)
  .regex(/^[^\r\n\0]*$/u)
  .catch("");
const limit = z.number().int().positive().nullable();

/** A bad or unknown line must not affect the others: each key falls back separately. */
const settingsFile = z.object({
  theme: z.enum(["system", "light", "dark"]).catch(defaultSettings.theme),
  model: z.string().min(1).max(100).catch(defaultSettings.model),
  maxParallelAgents: z.number().int().min(1).max(64).catch(defaultSettings.maxParallelAgents),
  defaultMicroDollars: limit.catch(defaultSettings.defaultMicroDollars),
  defaultTokens: limit.catch(defaultSettings.defaultTokens),
  // Only the user's own words switch the sandbox off; anything unreadable keeps it on.
  allowUnsandboxed: z.boolean().catch(false),
  openIn: z
    .object({ editor: command, terminal: command, files: command })
    .catch({ ...defaultSettings.openIn }),
  window: z
    .object({
      view: windowFields.view.catch(defaultWindow.view),
      runView: windowFields.runView.catch(defaultWindow.runView),
      showQueue: windowFields.showQueue.catch(defaultWindow.showQueue),
      showRight: windowFields.showRight.catch(defaultWindow.showRight),
      showTime: windowFields.showTime.catch(defaultWindow.showTime),
      filterHides: windowFields.filterHides.catch(defaultWindow.filterHides),
      panes: windowFields.panes.catch({}),
      density: windowFields.density.catch(defaultWindow.density),
      fontSize: windowFields.fontSize.catch(defaultWindow.fontSize),
      showEvents: windowFields.showEvents.catch(defaultWindow.showEvents),
      tour: windowFields.tour.catch(defaultWindow.tour),
      notifications: windowFields.notifications.catch(defaultWindow.notifications),
      savedFilters: windowFields.savedFilters.catch([]),
      viewedFiles: windowFields.viewedFiles.catch([]),
    })
    .catch({ ...defaultWindow, panes: {}, savedFilters: [], viewedFiles: [] }),
});

const settingsPath = (stateFolder: string): string => join(stateFolder, "settings.json");

/** What `settings.json` says, and a warning when it could not be read as it is. */
export async function readSettings(
  stateFolder: string,
): Promise<{ settings: Settings; warning: string | null }> {
  const path = settingsPath(stateFolder);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return { settings: defaultSettings, warning: null };
    return {
      settings: defaultSettings,
      warning: `Can't read ${path} (${(error as Error).message}); Hox uses its defaults.`,
    };
  }
  try {
    return { settings: settingsFile.parse(JSON.parse(text)), warning: null };
  } catch {
    return {
      settings: defaultSettings,
      warning: `${path} is not valid JSON; Hox uses its defaults until a setting is changed.`,
    };
  }
}

export const writeSettings = (stateFolder: string, settings: Settings): Promise<void> =>
  writeFileAtomically(settingsPath(stateFolder), `${JSON.stringify(settings, null, 2)}\n`);
