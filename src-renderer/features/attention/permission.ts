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
    notify("info", "You will be notified of decisions and ended runs while the window is in the background.");
  } else
    notify(
      "warning",
      "The browser blocks notifications from this page.",
      "Allow notifications for this address in the browser’s site settings. Until then, the window title shows the number of waiting cards.",
    );
}

export function turnOffNotifications(): void {
  prefer({ notifications: "off" });
  notify("info", "System notifications are off. The window title still shows the number of waiting cards.");
}
