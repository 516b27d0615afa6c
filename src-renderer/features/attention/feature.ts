import type { Feature } from "../../registry/feature.ts";
import { goToCard, goToRow, goToVotes } from "../../state/go-to.ts";
import { type HostStoreState, useHost } from "../../state/host-store.ts";
import { isAway, notify, systemPermission, takeMissed } from "../../state/notify.ts";
import { showRun } from "../../state/other-runs.ts";
import { prefer, preferences } from "../../state/preferences.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { goToCardIn, goToRunIn, openElsewhere } from "../../state/repositories.ts";
import { inspectRun, isRightShown, useSelection } from "../../state/selection-store.ts";
import {
  eventsBetween,
  eventsElsewhere,
  groupOf,
  type Lead,
  type RunEvent,
  summaryOf,
  titleOf,
  type Watched,
  waitingOf,
} from "./run-events.ts";

const isSystemOn = (): boolean => systemPermission() === "granted" && preferences().notifications !== "off";

async function turnOnNotifications(): Promise<void> {
  if (systemPermission() === "default") await Notification.requestPermission();
  if (systemPermission() === "granted") {
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

/** Notifications of what happens in runs, and the title of the window. */
export const attention: Feature = {
  start: followEvents,
  actions: [
    {
      id: "notifications-on",
      title: "Turn on system notifications",
      group: "App",
      words: "notifications system permission allow",
      available: () => !isSystemOn(),
      run: () => void turnOnNotifications(),
    },
    {
      id: "notifications-off",
      title: "Turn off system notifications",
      group: "App",
      words: "notifications system quiet mute",
      available: isSystemOn,
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

function followEvents(): void {
  let before: Watched | null = null;
  let openBefore = useHost.getState().open;
  let unseenEnd: string | null = null;
  let hasOffered = false;

  const showTitle = (state: HostStoreState): void => {
    const elsewhere = openElsewhere(state).reduce((sum, { waiting }) => sum + waiting.length, 0);
    const waiting = waitingOf(state.inbox).length + elsewhere;
    const title = titleOf(waiting, unseenEnd, state.repository?.name ?? null);
    // Setting it makes work for the browser, whether it changes or not.
    if (document.title !== title) document.title = title;
  };

  useHost.subscribe((state) => {
    const { repository, run, otherRuns, inbox, open } = state;
    const path = repository?.path ?? null;
    const elsewhere = eventsElsewhere(openBefore, open, path);
    openBefore = open;
    // Events of a recording are old; the present continues elsewhere.
    const now: Watched | null = isReplaying()
      ? null
      : { path, run, inbox, otherRuns: otherRuns.map((one) => one.run) };
    const events = [...(now === null ? [] : eventsBetween(before, now)), ...elsewhere];
    if (now !== null && now.path !== before?.path) {
      unseenEnd = null;
      for (const { close } of [...groups.values()]) close();
    }
    before = now;
    const end = events.findLast(({ kind }) => kind === "end");
    if (end && isAway()) unseenEnd = end.system?.title ?? null;
    // The inbox opens at the same moment, unless the user reads something there.
    if (events.length > 0) setTimeout(() => events.forEach(tell));
    if (now !== null) showTitle(state);
  });

  const comeBack = (): void => {
    if (isAway()) return;
    unseenEnd = null;
    showTitle(useHost.getState());
    const missed = takeMissed();
    // Offered once, when the user has just seen what it is good for.
    if (
      missed === null ||
      hasOffered ||
      systemPermission() !== "default" ||
      preferences().notifications !== "unasked"
    )
      return;
    hasOffered = true;
    notify(
      "warning",
      `While you were away: ${missed.title}`,
      "Hox can send system notifications about decisions and ended runs while its window is in the background.",
      { action: { label: "Notify me", run: () => void turnOnNotifications() } },
    );
  };
  addEventListener("focus", comeBack);
  document.addEventListener("visibilitychange", comeBack);
}

/** Events of the notifications that are on screen, by their group. */
const groups = new Map<string, { readonly events: readonly RunEvent[]; readonly close: () => void }>();

function tell(event: RunEvent): void {
  const key = groupOf(event);
  const isInWindow = preferences().showEvents && event.isInWindow && !isSeen(event);
  const events = [...(groups.get(key)?.events ?? []), event];
  const { text, level } = summaryOf(events);
  const open = (): void => follow(event);
  const isForSystem = event.system !== null && preferences().notifications !== "off";
  const close = notify(level, text, null, {
    ...{ key, isInWindow, action: { label: leadLabel(event.lead), run: open } },
    ...{ system: isForSystem ? { id: event.id, ...event.system, open } : null },
    onClose: () => groups.delete(key),
  });
  if (isInWindow) groups.set(key, { events, close });
}

/** A card that is open on screen needs no notification. */
const isSeen = ({ lead }: RunEvent): boolean => {
  const selection = useSelection.getState();
  const isInboxShown = isRightShown(selection) && selection.rightTab === "inbox" && selection.page === null;
  return lead.kind === "card" && isInboxShown;
};

function leadLabel(lead: Lead): string {
  switch (lead.kind) {
    case "card":
      return "Open card";
    case "elsewhere":
      return lead.card === null ? "Show run" : "Open card";
    case "change":
      return "Show change";
    case "votes":
      return "Show votes";
    case "run":
      return "Show run";
  }
}

function follow({ lead, run }: RunEvent): void {
  if (lead.kind !== "elsewhere") showRun(run);
  if (lead.kind === "card") goToCard(lead.card);
  else if (lead.kind === "elsewhere")
    void (lead.card === null ? goToRunIn(lead.path, lead.run) : goToCardIn(lead.path, lead.card));
  else if (lead.kind === "change") goToRow(lead.changeId);
  else if (lead.kind === "votes") goToVotes();
  else inspectRun();
}
