/** How the window is set up, as the host keeps it. What a user changes counts at once and is sent when it has come to rest. */
import { create } from "zustand";
import { defaultWindow, type SavedFilter, type WindowPreferences } from "#shared/contract/settings.ts";
import { client } from "../client.ts";
import { useHost } from "./host-store.ts";
import { attempt } from "./notify.ts";
import { isReplaying } from "./replay-store.ts";
import { useSelection } from "./selection-store.ts";

const restMs = 250;
let unsent: Partial<WindowPreferences> = {};
/** Sent and not answered yet, oldest first: the host may say what an earlier one has changed before it has the next one. */
let unanswered: readonly Partial<WindowPreferences>[] = [];
const unconfirmed = (): Partial<WindowPreferences> => Object.assign({}, ...unanswered, unsent);
let timer: ReturnType<typeof setTimeout> | undefined;

/** What this window has changed and the host has not said back yet: it counts already. */
const useChanged = create<Partial<WindowPreferences>>(() => ({}));

const kept = (): WindowPreferences => useHost.getState().app?.settings.window ?? defaultWindow;

export const preferences = (): WindowPreferences => ({ ...kept(), ...useChanged.getState() });

/** One of them; the part of the window that asks follows what any window changes. */
export function usePreference<Key extends keyof WindowPreferences>(key: Key): WindowPreferences[Key] {
  const changed: WindowPreferences[Key] | undefined = useChanged((state) => state[key]);
  const known = useHost((state) => (state.app?.settings.window ?? defaultWindow)[key]);
  return changed ?? known;
}

/** Height of a row in a long list: as dense as a user wants it, and never lower than its text. */
export function useRowHeight(): number {
  const least = usePreference("density") === "compact" ? 24 : 28;
  const fontSize = usePreference("fontSize");
  return Math.max(least, Math.ceil((20 * fontSize) / defaultWindow.fontSize));
}

/** Changes some of them. */
export function prefer(patch: Partial<WindowPreferences>): void {
  unsent = { ...unsent, ...patch };
  useChanged.setState(patch);
  clearTimeout(timer);
  timer = setTimeout(() => void send(), restMs);
}

async function send(): Promise<void> {
  clearTimeout(timer);
  const window = unsent;
  if (Object.keys(window).length === 0) return;
  unsent = {};
  unanswered = [...unanswered, window];
  const isKept = await attempt("The window settings were not saved", () =>
    client.settings.change({ window }),
  );
  unanswered = unanswered.filter((other) => other !== window);
  // What was not kept must not look as if it were.
  if (!isKept) useChanged.setState(unconfirmed(), true);
}

export const keepPane = (name: string, size: number): void =>
  prefer({ panes: { ...preferences().panes, [name]: size } });

export const saveFilters = (savedFilters: readonly SavedFilter[]): void =>
  prefer({ savedFilters: [...savedFilters] });

/** What of the selection outlives the window. */
const parts = ["view", "runView", "showQueue", "showRight", "showTime", "filterHides"] as const;

/**
 * The window comes up as it was left, and what is shown or hidden in it from then on is kept. Another window's choice of
 * panels changes nothing in one that is open already.
 */
export function followPreferences(): void {
  let isSetUp = false;
  const setUp = (): void => {
    if (isSetUp || useHost.getState().app === null) return;
    const { view, runView, showQueue, showRight, showTime, filterHides } = kept();
    useSelection.setState({ view, runView, showQueue, showRight, showTime, filterHides });
    isSetUp = true;
  };
  useHost.subscribe((state, before) => {
    setUp();
    if (state.app?.settings.window !== before.app?.settings.window) useChanged.setState(unconfirmed(), true);
  });
  useSelection.subscribe((state, before) => {
    const changed = parts.filter((part) => state[part] !== before[part]);
    // A recording sets the window up for itself, and puts it back.
    if (!isSetUp || changed.length === 0 || isReplaying()) return;
    const known = preferences();
    const patch = Object.fromEntries(changed.map((part) => [part, state[part]]));
    if (changed.some((part) => known[part] !== state[part])) prefer(patch);
  });
  addEventListener("pagehide", () => void send());
}
