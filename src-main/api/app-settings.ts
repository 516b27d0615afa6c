import { createSerial } from "#shared/async/serial.ts";
import type { Settings, SettingsPatch } from "#shared/contract/settings.ts";
import { lockFile } from "../config/file-lock.ts";
import { readSettings, settingsPath, writeSettings } from "../config/settings.ts";
import { watchFile } from "../config/watch-file.ts";

export type AppSettings = Awaited<ReturnType<typeof openAppSettings>>;

/** The app's settings, as they hold and as they are kept. Several hosts and terminals may change them. */
export async function openAppSettings(stateFolder: string) {
  const changing = createSerial();
  let { settings, warning } = await readSettings(stateFolder);
  const readAgain = async (): Promise<void> => {
    const read = await readSettings(stateFolder, settings);
    if (JSON.stringify(read.settings) !== JSON.stringify(settings)) ({ settings } = read);
    ({ warning } = read);
  };
  return {
    current: (): Settings => settings,
    /** What is wrong with the file; null once a setting was changed. */
    warning: (): string | null => warning,
    /** @param change what to change, or what to change of that which the file says */
    change: (change: SettingsPatch | ((now: Settings) => SettingsPatch)): Promise<void> =>
      // One after another, in this process and in others: each keeps what the one before it has written.
      changing.run("settings", async () => {
        const release = await lockFile("settings", settingsPath(stateFolder));
        try {
          await readAgain();
          const patch = typeof change === "function" ? change(settings) : change;
          const changed = {
            ...settings,
            ...patch,
            openIn: { ...settings.openIn, ...patch.openIn },
            proxy: { ...settings.proxy, ...patch.proxy },
            window: { ...settings.window, ...patch.window },
          };
          await writeSettings(stateFolder, changed);
          settings = changed;
          warning = null;
        } finally {
          release();
        }
      }),
    /**
     * Takes over what other processes write.
     * @param changed called with what held before
     * @returns ends it
     */
    follow: (changed: (before: Settings) => void): (() => void) =>
      watchFile(settingsPath(stateFolder), () => {
        void changing.run("settings", async () => {
          const [before, warned] = [settings, warning];
          await readAgain();
          if (settings !== before || warning !== warned) changed(before);
        });
      }),
  };
}
