import { showWindow } from "../../desktop.ts";
import { goToCard } from "../../state/go-to.ts";
import { type HostStoreState, useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { preferences } from "../../state/preferences.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { goToCardIn, goToRunIn, openElsewhere } from "../../state/repositories.ts";
import { showRun } from "../../state/runs-beside.ts";
import { inspectRun } from "../../state/selection-store.ts";
import { type News, newsBetween, newsElsewhere, titleOf, type Watched, waitingOf } from "./news.ts";
import { isAskable, turnOnNotifications } from "./permission.ts";

const isAway = (): boolean => document.visibilityState !== "visible" || !document.hasFocus();

/** Keeps the title of the window, and tells the system what comes while the person looks elsewhere. */
export function followNews(): void {
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
    // What a recording shows happened long ago; elsewhere time goes on.
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
