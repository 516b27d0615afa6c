import type { OpenerKind } from "../../domain/open-in/opener.ts";
import type { WindowPreferences } from "./window-preferences.ts";

export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly model: string;
  readonly maxParallelAgents: number;
  readonly defaultMicroDollars: number | null;
  readonly defaultTokens: number | null;
  /** The user explicitly allowed commands without a sandbox. */
  readonly allowUnsandboxed: boolean;
  /** Commands that open places; empty: the first program that is there. Never read from a repository. */
  readonly openIn: Readonly<Record<OpenerKind, string>>;
  readonly window: WindowPreferences;
}

/** What changes of the settings; of the window's and of what opens places, only the parts that are named. */
export type SettingsPatch = Partial<Omit<Settings, "window" | "openIn">> & {
  readonly openIn?: Partial<Settings["openIn"]>;
  readonly window?: Partial<WindowPreferences>;
};
