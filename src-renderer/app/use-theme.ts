import { useEffect } from "react";
import { useHost } from "../state/host-store.ts";

const remembered = "hox.theme";
const prefersDark = "(prefers-color-scheme: dark)";

type Theme = "system" | "light" | "dark";

export function paintTheme(theme: Theme): void {
  const dark = theme === "dark" || (theme === "system" && matchMedia(prefersDark).matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

/** Before the host has said anything: what was chosen last, so that the window does not flash. */
export function paintRememberedTheme(): void {
  const last = localStorage.getItem(remembered);
  paintTheme(last === "light" || last === "dark" ? last : "system");
}

/** Follows the setting, and the system when the setting says so. */
export function useTheme(): void {
  const theme = useHost((state) => state.app?.settings.theme);
  useEffect(() => {
    if (theme === undefined) return;
    localStorage.setItem(remembered, theme);
    paintTheme(theme);
    const media = matchMedia(prefersDark);
    const follow = (): void => paintTheme(theme);
    media.addEventListener("change", follow);
    return () => media.removeEventListener("change", follow);
  }, [theme]);
}
