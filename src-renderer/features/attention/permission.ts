/** Whether the system tells what comes while the person looks elsewhere: the person's wish, and the browser's permission. */
import { notify } from "../../state/notice-store.ts";
import { prefer, preferences } from "../../state/preferences.ts";

const hasNotifications = (): boolean => typeof Notification !== "undefined";

/** The browser was never asked. */
export const isAskable = (): boolean => hasNotifications() && Notification.permission === "default";

export const areNotificationsOn = (): boolean =>
  hasNotifications() && Notification.permission === "granted" && preferences().notifications !== "off";

export async function turnOnNotifications(): Promise<void> {
  if (isAskable()) await Notification.requestPermission();
  if (hasNotifications() && Notification.permission === "granted") {
    prefer({ notifications: "on" });
    notify("info", "You are told of decisions, and of the end of a run, while you look elsewhere.");
  } else
    notify(
      "warning",
      "The browser does not let this page notify you.",
      "Allow notifications for this address in the browser’s settings of the site; the window’s title counts what waits meanwhile.",
    );
}

export function turnOffNotifications(): void {
  prefer({ notifications: "off" });
  notify("info", "The system tells you nothing any more. The window’s title still counts what waits.");
}
