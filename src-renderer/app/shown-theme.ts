import { useSyncExternalStore } from "react";

type Shown = "light" | "dark";

const shown = (): Shown => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** The theme that is painted now, for parts that draw their own colours (diffs, charts). */
export const useShownTheme = (): Shown => useSyncExternalStore(subscribe, shown);
