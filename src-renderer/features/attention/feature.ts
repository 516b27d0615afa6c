import { showWindow } from "../../desktop.ts";
import type { Feature } from "../../registry/feature.ts";
import { goToCard } from "../../state/go-to.ts";
import { type HostStoreState, useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { prefer, preferences } from "../../state/preferences.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { goToCardIn, goToRunIn, openElsewhere } from "../../state/repositories.ts";
import { showRun } from "../../state/runs-beside.ts";
import { inspectRun } from "../../state/selection-store.ts";
import { followEvents } from "./event-line.tsx";
import { type News, newsBetween, newsElsewhere, titleOf, type Watched, waitingOf } from "./news.ts";

const hasNotifications = (): boolean => typeof Notification !== "undefined";

/**
 * Whether the system tells what comes while the person looks elsewhere: the person's wish, and the browser's permission.
 *
 * The browser was never asked.
 */
const isAskable = (): boolean => hasNotifications() && Notification.permission === "default";

const areNotificationsOn = (): boolean =>
  hasNotifications() && Notification.permission === "granted" && preferences().notifications !== "off";

async function turnOnNotifications(): Promise<void> {
  if (isAskable()) await Notification.requestPermission();
  if (hasNotifications() && Notification.permission === "granted") {
    prefer({ notifications: "on" });
    notify("info", "You will be notified of decisions and ended runs while the window is in the background.");
  } else
    notify(
      "warning",
      "The browser blocks notifications from this page.",
      "Allow notifications for this address in the browser’s site settings. Until then, the window title shows the number of waiting cards.",
    );
}

function turnOffNotifications(): void {
  prefer({ notifications: "off" });
  notify("info", "System notifications are off. The window title still shows the number of waiting cards.");
}

/** What waits for a person reaches them while they look elsewhere. */
export const attention: Feature = {
  start: () => {
    followNews();
    followEvents();
  },
  actions: [
    {
      id: "notifications-on",
      title: "Turn on system notifications",
      group: "App",
      words: "notifications system permission allow",
      available: () => !areNotificationsOn(),
      run: () => void turnOnNotifications(),
    },
    {
      id: "notifications-off",
      title: "Turn off system notifications",
      group: "App",
      words: "notifications system quiet mute",
      available: areNotificationsOn,
      run: turnOffNotifications,
    },
    {
      id: "events",
      title: "Toggle event notifications",
      group: "App",
      words: "toasts votes conflicts quiet mute",
      run: () => prefer({ showEvents: !preferences().showEvents }),
    },
  ],
};

const isAway = (): boolean => document.visibilityState !== "visible" || !document.hasFocus();

/** Keeps the title of the window, and tells the system what comes while the person looks elsewhere. */
function followNews(): void {
  let before: Watched | null = null;
  let openBefore = useHost.getState().open;
  let unseenEnd: string | null = null;
  let missed: News | null = null;
  let hasOffered = false;

  const showTitle = (state: HostStoreState): void => {
    const elsewhere = openElsewhere(state).reduce((sum, { waiting }) => sum + waiting.length, 0);
    const waiting = waitingOf(state.inbox).length + elsewhere;
    document.title = titleOf(waiting, unseenEnd, state.repository?.name ?? null);
  };

  useHost.subscribe((state) => {
    const elsewhere = newsElsewhere(openBefore, state.open, state.repository?.path ?? null);
    openBefore = state.open;
    // Events of a recording are old; the present continues elsewhere.
    if (isReplaying()) {
      before = null;
      if (isAway()) for (const one of elsewhere) tell(one);
      return;
    }
    const otherRuns = state.otherRuns.map(({ run }) => run);
    const now: Watched = {
      path: state.repository?.path ?? null,
      run: state.run,
      otherRuns,
      inbox: state.inbox,
    };
    const news = [...newsBetween(before, now), ...elsewhere];
    if (now.path !== before?.path) unseenEnd = null;
    before = now;
    if (isAway())
      for (const one of news) {
        if (one.card === null) unseenEnd = one.title;
        if (!tell(one)) missed = one;
      }
    showTitle(state);
  });

  const comeBack = (): void => {
    if (isAway()) return;
    unseenEnd = null;
    showTitle(useHost.getState());
    // Asked once, and when the person has just seen what it is good for.
    if (missed !== null && !hasOffered && isAskable() && preferences().notifications === "unasked") {
      hasOffered = true;
      notify(
        "warning",
        `While you were away: ${missed.title}`,
        "Hox can send system notifications about decisions and ended runs while its window is in the background.",
        { label: "Notify me", run: () => void turnOnNotifications() },
      );
    }
    missed = null;
  };
  addEventListener("focus", comeBack);
  document.addEventListener("visibilitychange", comeBack);
}

/** @returns false when the person was not told */
function tell({ id, title, body, card, run, path }: News): boolean {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return false;
  if (preferences().notifications === "off") return false;
  new Notification(title, { body, tag: `hox:${id}` }).addEventListener("click", () => {
    showWindow();
    if (path !== undefined) return void (card === null ? goToRunIn(path, run) : goToCardIn(path, card));
    showRun(run);
    if (card === null) inspectRun();
    else goToCard(card);
  });
  return true;
}
