import { showWindow } from "../../desktop.ts";
import { goToCard } from "../../state/go-to.ts";
import { type HostStoreState, useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { preferences } from "../../state/preferences.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { showRun } from "../../state/runs-beside.ts";
import { inspectRun } from "../../state/selection-store.ts";
import { type News, newsBetween, titleOf, type Watched, waitingOf } from "./news.ts";
import { isAskable, turnOnNotifications } from "./permission.ts";

const isAway = (): boolean => document.visibilityState !== "visible" || !document.hasFocus();

/** Keeps the title of the window, and tells the system what comes while the person looks elsewhere. */
export function followNews(): void {
  let before: Watched | null = null;
  let unseenEnd: string | null = null;
  let missed: News | null = null;
  let hasOffered = false;

  const showTitle = ({ inbox, repository }: HostStoreState): void => {
    document.title = titleOf(waitingOf(inbox).length, unseenEnd, repository?.name ?? null);
  };

  useHost.subscribe((state) => {
    // What a recording shows happened long ago.
    if (isReplaying()) {
      before = null;
      return;
    }
    const beside = state.beside.map(({ run }) => run);
    const now: Watched = { path: state.repository?.path ?? null, run: state.run, beside, inbox: state.inbox };
    const news = newsBetween(before, now);
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
        "The system can tell you of decisions, and of the end of a run, while you look elsewhere.",
        { label: "Notify me", run: () => void turnOnNotifications() },
      );
    }
    missed = null;
  };
  addEventListener("focus", comeBack);
  document.addEventListener("visibilitychange", comeBack);
}

/** @returns false when the person was not told */
function tell({ id, title, body, card, run }: News): boolean {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return false;
  if (preferences().notifications === "off") return false;
  new Notification(title, { body, tag: `hox:${id}` }).addEventListener("click", () => {
    showWindow();
    showRun(run);
    if (card === null) inspectRun();
    else goToCard(card);
  });
  return true;
}
