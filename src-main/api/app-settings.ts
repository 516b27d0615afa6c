import { createSerial } from "#shared/async/serial.ts";
import type { Settings, SettingsPatch } from "#shared/contract/settings.ts";
import { readSettings, writeSettings } from "../config/settings.ts";

export type AppSettings = Awaited<ReturnType<typeof openAppSettings>>;

/** The app's settings, as they hold and as they are kept. */
export async function openAppSettings(stateFolder: string) {
  const writing = createSerial();
  let { settings, warning } = await readSettings(stateFolder);
  return {
    current: (): Settings => settings,
    /** What was wrong with the file; null once a setting was changed. */
    warning: (): string | null => warning,
    // One after another: each keeps what the one before it has written.
    change: (patch: SettingsPatch): Promise<void> =>
      writing.run("settings", async () => {
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
      }),
  };
}
