import type { Feature } from "../../registry/feature.ts";
import { followNews } from "./follow-news.ts";
import { areNotificationsOn, turnOffNotifications, turnOnNotifications } from "./permission.ts";

/** What waits for a person reaches them while they look elsewhere. */
export const attention: Feature = {
  start: followNews,
  actions: [
    {
      id: "notifications-on",
      title: "Notify me while I look elsewhere",
      group: "App",
      words: "notifications system permission allow",
      available: () => !areNotificationsOn(),
      run: () => void turnOnNotifications(),
    },
    {
      id: "notifications-off",
      title: "Stop notifying me",
      group: "App",
      words: "notifications system quiet mute",
      available: areNotificationsOn,
      run: turnOffNotifications,
    },
  ],
};
