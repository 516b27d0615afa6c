import type { Feature } from "../../registry/feature.ts";
import { prefer, preferences } from "../../state/preferences.ts";
import { followEvents } from "./event-line.tsx";
import { followNews } from "./follow-news.ts";
import { areNotificationsOn, turnOffNotifications, turnOnNotifications } from "./permission.ts";

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
