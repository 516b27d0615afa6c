import { useEffect } from "react";
import { followSystemTheme, rememberTheme } from "../kit/theme.ts";
import { useHost } from "../state/host-store.ts";

/** Follows the setting, and the system when the setting says so. */
export function useTheme(): void {
  const theme = useHost((state) => state.app?.settings.theme);
  useEffect(() => {
    if (theme === undefined) return;
    rememberTheme(theme);
    return followSystemTheme(theme);
  }, [theme]);
}
