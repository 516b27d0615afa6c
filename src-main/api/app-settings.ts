import type { Settings } from "#shared/contract/views/settings.ts";
import { readSettings, writeSettings } from "../config/settings.ts";

/** The app's settings, as they hold and as they are kept. */
export interface AppSettings {
  current(): Settings;
  /** What was wrong with the file; null once a setting was changed. */
  warning(): string | null;
  change(patch: Partial<Settings>): Promise<void>;
}

export async function openAppSettings(stateFolder: string): Promise<AppSettings> {
  let { settings, warning } = await readSettings(stateFolder);
  return {
    current: () => settings,
    warning: () => warning,
    async change(patch) {
      const changed = { ...settings, ...patch };
      await writeSettings(stateFolder, changed);
      settings = changed;
      warning = null;
    },
  };
}
