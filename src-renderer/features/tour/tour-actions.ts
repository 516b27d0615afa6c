/** What the tour can do: point at what it speaks of, and let the scripted model speak faster or not at all. */
import type { Tempo } from "#shared/domain/rehearsal/tempo.ts";
import {
  hasNewEvent,
  type TourFacts,
  type TourPlace,
  type TourView,
  tourOf,
} from "#shared/domain/rehearsal/tour.ts";
import { isAtWork } from "#shared/domain/worker/at-work.ts";
import { client } from "../../client.ts";
import { goToCard, goToRow } from "../../state/go-to.ts";
import { type HostStoreState, useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";
import { preferences } from "../../state/preferences.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { inspectRun, setView } from "../../state/selection-store.ts";
import { openReport } from "../runs/runs-store.ts";
import { pointAt } from "./point-at.ts";

/** Null where no rehearsal is on screen. */
export function tourFacts({ run, inbox, timeline }: HostStoreState): TourFacts | null {
  if (!run || run.rehearsal === null) return null;
  return {
    isPlanApproved: run.planApproved,
    isOver: run.endedAt !== null,
    isLanded: run.landed !== null,
    cards: inbox.map(({ id, kind }) => ({ id, kind })),
    workers: run.workers.map(({ changeId, state, conflict }) => ({
      changeId,
      isAtWork: isAtWork(state),
      isInConflict: conflict !== "none",
    })),
    hasSeats: (run.validation?.seats.length ?? 0) > 0,
    verdict: run.validation === null || run.validation.verdict === "open" ? null : run.validation.verdict,
    timeline,
  };
}

export function currentTour(state: HostStoreState = useHost.getState()): TourView | null {
  const facts = tourFacts(state);
  return facts && tourOf(facts);
}

export const isTouring = (): boolean =>
  preferences().tour !== "left" && !isReplaying() && currentTour() !== null;

const find = (selector: string) => (): HTMLElement | null => document.querySelector<HTMLElement>(selector);

/** Brings into sight what the tour speaks of, and marks it for a moment. */
export function pointToPlace(): void {
  const place = currentTour()?.place;
  if (place) show(place);
}

function show(place: TourPlace): void {
  switch (place.kind) {
    case "card":
      goToCard(place.id);
      pointAt(find('section[aria-label="Inbox"] article:has(h3 button[aria-expanded="true"])'));
      return;
    case "change":
      setView("canvas");
      goToRow(place.changeId);
      pointAt(find(`[data-lane][data-change-id="${CSS.escape(place.changeId)}"]`));
      return;
    case "votes":
      inspectRun();
      pointAt(find('[aria-label="Votes"]'));
      return;
    case "canvas":
      setView("canvas");
      pointAt(find('section[aria-label="Graph panel"]'));
      return;
    case "report":
      openReport(useHost.getState().run?.id ?? null);
  }
}

export const setTempo = (tempo: Tempo): void =>
  void attempt("The pace was not changed", () => client.rehearsal.setTempo({ tempo }));

let isGoingOn = false;

/** As fast as it goes until there is something to look at; then the words stand still until somebody lets them go on. */
export function goToNextEvent(): void {
  const before = tourFacts(useHost.getState());
  if (isGoingOn || before === null) return;
  isGoingOn = true;
  setTempo("fast");
  const stop = useHost.subscribe((state) => {
    const now = tourFacts(state);
    const isOver = now === null || now.isOver;
    if (!isOver && !hasNewEvent(before, now)) return;
    stop();
    isGoingOn = false;
    setTempo(isOver ? "usual" : "held");
  });
}
