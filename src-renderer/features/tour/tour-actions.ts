/** What the tour can do: point at what it speaks of, and let the scripted model speak faster or not at all. */
import type { Tempo } from "#shared/domain/rehearsal/tempo.ts";
import {
  hasNewEvent,
  type PassingStep,
  passingStep,
  type TourFacts,
  type TourPlace,
  type TourView,
  tourOf,
} from "#shared/domain/rehearsal/tour.ts";
import { isAtWork, roles } from "#shared/domain/worker/roles.ts";
import { client } from "../../client.ts";
import { goToCard, goToRow } from "../../state/go-to.ts";
import { type HostStoreState, useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { prefer, preferences } from "../../state/preferences.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { inspect, inspectRun, setView } from "../../state/selection-store.ts";
import { showIteration, useShownIteration } from "../../state/shown-run.ts";
import { openReport } from "../runs/runs-store.ts";

let pausedFor: PassingStep | null = null;

/** Null where no rehearsal is on screen. */
export function tourFacts({ app, run, inbox, timeline }: HostStoreState): TourFacts | null {
  if (!run || run.rehearsal === null) return null;
  return {
    rehearsal: run.rehearsal,
    isPaused: run.endedAt === null && app?.rehearsalTempo === "held",
    pausedFor,
    isPlanApproved: run.planApproved,
    isOver: run.endedAt !== null,
    isLanded: run.landed !== null,
    cards: inbox.map(({ id, kind }) => ({ id, kind })),
    workers: run.workers.map(({ name, role, changeId, state, conflict }) => ({
      name,
      isAgent: roles[role].canWriteTask,
      changeId,
      isAtWork: isAtWork(state),
      isInConflict: conflict !== "none",
    })),
    seats: run.validation?.seats.length ?? 0,
    attempts: run.attempts.map(({ attempts, chosen }) => ({
      isForked: attempts.some(({ from }) => from !== null),
      isChosen: chosen !== null,
    })),
    hasAcceptedSuggestion: run.suggestions.some(({ state }) => state === "task"),
    verdict: run.validation === null || run.validation.verdict === "open" ? null : run.validation.verdict,
    timeline,
  };
}

function currentTour(state: HostStoreState = useHost.getState()): TourView | null {
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
    case "conversation":
      inspect(place.changeId);
      showIteration(place.worker, iterationOf(place.worker));
      pointAt(lastForkButton);
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

/** Marks something on the screen for a moment, without touching the focus. */
const shownMs = 2_400;
const lookEveryMs = 60;
const looks = 40;

function pointAt(find: () => HTMLElement | null): void {
  let left = looks;
  const look = (): void => {
    const found = find();
    if (found === null) {
      left -= 1;
      if (left > 0) setTimeout(look, lookEveryMs);
      return;
    }
    found.scrollIntoView({ block: "nearest", inline: "nearest" });
    found.dataset.pointed = "";
    setTimeout(() => delete found.dataset.pointed, shownMs);
  };
  setTimeout(look, lookEveryMs);
}

const iterationOf = (name: string): number =>
  useHost.getState().run?.workers.find((worker) => worker.name === name)?.iteration ?? 1;

/** Once the conversation has scrolled to the iteration that was asked for. */
const lastForkButton = (): HTMLElement | null =>
  useShownIteration.getState().worker === null
    ? ([...document.querySelectorAll<HTMLElement>('[aria-label^="Fork from here: turn"]')].at(-1) ?? null)
    : null;

/** Ends a pause before its time. */
let stopWaiting: () => void = () => {};

export function setTempo(tempo: Tempo, lookAt: PassingStep | null = null): void {
  stopWaiting();
  pausedFor = lookAt;
  void attempt("The speed was not changed", () => client.rehearsal.setTempo({ tempo }));
}

export const continueRehearsal = (): void => setTempo("usual");

let isGoingOn = false;

/** As fast as possible until there is something to look at; then text streaming stops until the user answers or continues. */
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

/** For so long there is time to look at what would be over within seconds. */
const lookMs = 30_000;

/** While the tour is open, what passes quickly stays for a while: the model's words wait for it, and continue without a click. */
export function pauseForWhatPasses(): void {
  useHost.subscribe((state, earlier) => {
    if (preferences().tour !== "open" || isReplaying() || isGoingOn) return;
    const tempo = state.app?.rehearsalTempo;
    if (tempo === undefined || tempo === "held" || tempo === "fast" || state.run?.id !== earlier.run?.id)
      return;
    const [before, after] = [tourFacts(earlier), tourFacts(state)];
    if (before === null || after === null || after.isOver) return;
    const step = passingStep(before, after);
    if (step === null) return;
    setTempo("held", step);
    const timer = setTimeout(() => setTempo(tempo), lookMs);
    stopWaiting = () => clearTimeout(timer);
  });
}

/** Ends the tour, so that no model is left paused without a notice. */
export function leaveTour(): void {
  if (useHost.getState().app?.rehearsalTempo === "held") continueRehearsal();
  prefer({ tour: "left" });
}
