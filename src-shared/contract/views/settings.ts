import type { WindowPreferences } from "./window-preferences.ts";

export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly model: string;
  readonly maxParallelAgents: number;
  readonly defaultMicroDollars: number | null;
  readonly defaultTokens: number | null;
  /** Said in so many words by the user: commands may run without a sandbox. */
  readonly allowUnsandboxed: boolean;
  readonly window: WindowPreferences;
}

/** What changes of the settings; of the window's, only the parts that are named. */
export type SettingsPatch = Partial<Omit<Settings, "window">> & {
  readonly window?: Partial<WindowPreferences>;
};
