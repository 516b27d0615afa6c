/** Several runs in one repository: which one is on screen, and which one commands are for. */
import type { RunView } from "#shared/contract/views/run.ts";
import { meanRun } from "../client.ts";
import { type HostStoreState, shownAmong, useHost } from "./host-store.ts";
import { useSelection } from "./selection-store.ts";

/** A run that was begun here and has not been heard of yet. */
let awaited: string | null = null;

/** All that go on or have ended since the last began, in the order in which they began. */
export const runsOf = ({ run, otherRuns }: Pick<HostStoreState, "run" | "otherRuns">): readonly RunView[] =>
  [...(run ? [run] : []), ...otherRuns.map((one) => one.run)].toSorted(
    (one, other) => one.startedAt - other.startedAt,
  );

/** Those of them that go on. */
export const runsGoing = (state: Pick<HostStoreState, "run" | "otherRuns">): readonly RunView[] =>
  runsOf(state).filter(({ endedAt }) => endedAt === null);

/** Whether another run may begin beside one: a rehearsal and a quick run go on alone. */
export const canRunInParallel = ({ rehearsal, isQuick }: RunView): boolean => rehearsal === null && !isQuick;

/** What distinguishes a run from the others. */
export const rootOf = ({ root }: Pick<RunView, "root">): string => root;

/** Brings a run on screen: header, canvas, queue and commands are of it. One that was just begun, once it is there. */
export function showRun(id: string): void {
  const state = useHost.getState();
  awaited = state.run?.id === id || state.otherRuns.some(({ run }) => run.id === id) ? null : id;
  if (awaited !== null || state.run?.id === id) return;
  const shown = state.run ? [{ run: state.run, timeline: state.timeline }] : [];
  const all = [...state.otherRuns, ...shown].toSorted(
    (one, other) => one.run.startedAt - other.run.startedAt,
  );
  useHost.setState(shownAmong(all, id));
}

/** The run that began after the one on screen, and after the last the first. */
export function showNextRun(): void {
  const state = useHost.getState();
  const all = runsOf(state);
  const next = all[(all.findIndex(({ id }) => id === state.run?.id) + 1) % all.length];
  if (next) showRun(next.id);
}

/** Keeps what is on screen what the person asked for, and tells the host which run a command is for. */
export function followOtherRuns(): void {
  // With one run nothing has to be said.
  meanRun(() => {
    const { run, otherRuns } = useHost.getState();
    return otherRuns.length > 0 ? (run?.id ?? null) : null;
  });
  useHost.subscribe((state) => {
    if (awaited !== null && state.otherRuns.some(({ run }) => run.id === awaited)) showRun(awaited);
  });
  // A card is read beside the run that asks it.
  useSelection.subscribe(({ requestedCard }, before) => {
    if (requestedCard === before.requestedCard || requestedCard === null) return;
    const card = useHost.getState().inbox.find(({ id }) => id === requestedCard);
    if (card) showRun(card.run);
  });
}
