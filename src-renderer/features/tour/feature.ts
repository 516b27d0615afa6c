import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import { prefer, preferences } from "../../state/preferences.ts";
import {
  continueRehearsal,
  goToNextEvent,
  isTouring,
  leaveTour,
  pauseForWhatPasses,
  pointToPlace,
} from "./tour-actions.ts";

const isRehearsing = (): boolean => useHost.getState().run?.rehearsal != null;

const actions: readonly Action[] = [
  {
    id: "take-tour",
    title: "Start the rehearsal tour",
    group: "Run",
    words: "help guide show explain start learn",
    available: () => isRehearsing() && preferences().tour !== "open",
    run: () => prefer({ tour: "open" }),
  },
  {
    id: "leave-tour",
    title: "Leave the rehearsal tour",
    group: "Run",
    words: "hide skip guide close",
    available: () => isTouring(),
    run: leaveTour,
  },
  {
    id: "tour-show",
    title: "Tour: show me",
    group: "Run",
    keys: "alt+s",
    words: "tour point next step",
    available: () => isTouring(),
    run: pointToPlace,
  },
  {
    id: "tour-next-event",
    title: "Skip to the next event of the rehearsal",
    group: "Run",
    keys: "alt+j",
    words: "tour fast forward skip",
    available: () => isTouring() && useHost.getState().run?.endedAt === null,
    run: goToNextEvent,
  },
  {
    id: "tour-continue",
    title: "Continue the rehearsal",
    group: "Run",
    words: "tour resume unpause continue",
    available: () => isRehearsing() && useHost.getState().app?.rehearsalTempo === "held",
    run: continueRehearsal,
  },
];

/** A rehearsal explains itself. */
export const tour: Feature = { actions, start: pauseForWhatPasses };
