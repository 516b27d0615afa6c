import { useEffect } from "react";
import { defaultWindow } from "#shared/contract/views/window-preferences.ts";
import { followSystemTheme, rememberTheme } from "../kit/theme.ts";
import { useHost } from "../state/host-store.ts";
import { usePreference } from "../state/preferences.ts";

/** Follows the setting, and the system when the setting says so. */
export function useTheme(): void {
  const theme = useHost((state) => state.app?.settings.theme);
  useEffect(() => {
    if (theme === undefined) return;
    rememberTheme(theme);
    return followSystemTheme(theme);
  }, [theme]);
}

/** The size of text and the room between things, for the whole window. */
export function useMeasures(): void {
  const fontSize = usePreference("fontSize");
  const density = usePreference("density");
  useEffect(() => {
    const { style, dataset } = document.documentElement;
    style.setProperty("--text-scale", String(fontSize / defaultWindow.fontSize));
    dataset.density = density;
  }, [fontSize, density]);
}
