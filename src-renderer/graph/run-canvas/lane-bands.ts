/** Where a lane can go: among those of its phase and its orchestrator, whatever the queue says of others. */
import { type Place, queuePlace } from "../../features/queue/queue-bands.ts";
import { move, moveByStep, shownBands } from "../../features/queue/queue-store.ts";
import { colourOf } from "../../kit/avatar.tsx";

export interface LaneTarget {
  readonly place: Place | null;
  /** Where it will lie: y in the window; null where it cannot. */
  readonly line: number | null;
  /** Why it goes no further that way; null where it does. */
  readonly reason: string | null;
}

const topOf = (lane: Element): number => lane.getBoundingClientRect().top;

const isSameBand = (one: HTMLElement, other: HTMLElement): boolean =>
  one.dataset.phase === other.dataset.phase && one.dataset.orchestrator === other.dataset.orchestrator;

const placeOf = (lane: HTMLElement): Place | null => queuePlace(shownBands(), lane.dataset.changeId ?? "");

/** Lanes that it can be placed next to, from top to bottom. */
const bandOf = (lane: HTMLElement, lanes: readonly HTMLElement[]): readonly HTMLElement[] =>
  lanes.filter((one) => isSameBand(one, lane) && placeOf(one) !== null);

/** Before or after a lane. */
function targetNextTo(lane: HTMLElement, isBefore: boolean, reason: string | null): LaneTarget {
  const at = placeOf(lane);
  if (!at) return { place: null, line: null, reason };
  const { top, bottom } = lane.getBoundingClientRect();
  return {
    place: isBefore ? at : { ...at, index: at.index + 1 },
    line: isBefore ? top : bottom,
    reason,
  };
}

/** @param lanes reads all that are seen, from top to bottom: only where it is dragged over lanes of others */
export function targetOver(
  own: HTMLElement,
  over: HTMLElement,
  y: number,
  lanes: () => readonly HTMLElement[],
): LaneTarget {
  if (isSameBand(over, own)) {
    const { top, height } = over.getBoundingClientRect();
    return targetNextTo(over, y < top + height / 2, null);
  }
  const by = topOf(over) < topOf(own) ? -1 : 1;
  const band = bandOf(own, lanes());
  const at = topOf(over);
  const nearest =
    by < 0 ? band.find((lane) => topOf(lane) >= at) : band.findLast((lane) => topOf(lane) <= at);
  const edge = by < 0 ? band[0] : band.at(-1);
  if (!nearest) return { place: null, line: null, reason: whyNot(own, over, by) };
  return targetNextTo(nearest, by < 0, nearest === edge ? whyNot(own, over, by) : null);
}

function whyNot(own: HTMLElement, beyond: HTMLElement, by: -1 | 1): string {
  const { orchestrator = "", phase = "" } = own.dataset;
  if (beyond.dataset.orchestrator !== orchestrator)
    return `The task belongs to ${orchestrator} and stays in its lanes.`;
  const other = beyond.dataset.phase ?? "";
  return by < 0
    ? `Phase ${phase} depends on phase ${other} and cannot move further up.`
    : `Phase ${other} depends on phase ${phase}, so this task cannot move further down.`;
}

/** One place up or down among the lanes that are seen. @returns why not; null: it went, false: there was nowhere to go */
export function moveLaneByStep(
  own: HTMLElement,
  by: -1 | 1,
  lanes: readonly HTMLElement[],
): string | null | false {
  const changeId = own.dataset.changeId;
  if (changeId === undefined || placeOf(own) === null) return false;
  const band = bandOf(own, lanes);
  const neighbour = band[band.indexOf(own) + by];
  if (neighbour) {
    const { place } = targetNextTo(neighbour, by < 0, null);
    if (place) void move(shownBands(), changeId, place);
    return null;
  }
  const others = lanes.filter((lane) => !isSameBand(lane, own));
  const beyond =
    by < 0
      ? others.findLast((lane) => topOf(lane) < topOf(own))
      : others.find((lane) => topOf(lane) > topOf(own));
  // At the end of all lanes there is still another priority.
  return beyond ? whyNot(own, beyond, by) : moveByStep(changeId, by) ? null : false;
}

/** The colour of a worker; without one, that of planned work. */
export const laneColour = (worker: string | null): string =>
  worker === null ? "var(--line-strong)" : colourOf(worker);
