import { useSyncExternalStore } from "react";

const remembered = "hox.theme";
const prefersDark = "(prefers-color-scheme: dark)";

type Theme = "system" | "light" | "dark";

function paintTheme(theme: Theme): void {
  const dark = theme === "dark" || (theme === "system" && matchMedia(prefersDark).matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

/** Before the host has said anything: what was chosen last, so that the window does not flash. */
export function paintRememberedTheme(): void {
  const last = localStorage.getItem(remembered);
  paintTheme(last === "light" || last === "dark" ? last : "system");
}

/** Paints a theme, and remembers it for the next time that the window opens. */
export function rememberTheme(theme: Theme): void {
  localStorage.setItem(remembered, theme);
  paintTheme(theme);
}

/** Follows the system as long as the theme is its own; answers how to stop. */
export function followSystemTheme(theme: Theme): () => void {
  const media = matchMedia(prefersDark);
  const follow = (): void => paintTheme(theme);
  media.addEventListener("change", follow);
  return () => media.removeEventListener("change", follow);
}

type Shown = "light" | "dark";

const shown = (): Shown => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** The theme that is painted now, for parts that draw their own colours (diffs, charts). */
export const useShownTheme = (): Shown => useSyncExternalStore(subscribe, shown);
