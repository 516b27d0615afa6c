/** Several runs in one repository: which one is on screen, and with that which one commands are for. */
import type { RunView } from "#shared/contract/views/run.ts";
import { parseAddress } from "#shared/domain/change-metadata/address.ts";
import { type HostStoreState, useHost, withRuns } from "./host-store.ts";
import { inspect, useSelection } from "./selection-store.ts";

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
export const canRunInParallel = ({ rehearsal, isQuick }: Pick<RunView, "rehearsal" | "isQuick">): boolean =>
  rehearsal === null && !isQuick;

/** What distinguishes a run from the others. */
export const rootOf = ({ root }: Pick<RunView, "root">): string => root;

/** The id of the other run that an address of the radar belongs to. */
export const runOfWorker = (
  { otherRuns }: Pick<HostStoreState, "otherRuns">,
  address: string,
): string | undefined =>
  otherRuns.find(({ run }) => run.workers.some(({ name }) => name === parseAddress(address).orchestrator))
    ?.run.id;

/** Brings a run on screen: header, canvas, queue and commands are of it. One that was just begun, once it is there. */
export function showRun(id: string): void {
  const state = useHost.getState();
  awaited = state.run?.id === id || state.otherRuns.some(({ run }) => run.id === id) ? null : id;
  if (awaited !== null || state.run?.id === id) return;
  useHost.setState(withRuns(state, state.runs, id), true);
}

/** Brings a run on screen with the work of one of its agents. @param address as the radar has it */
export function showAgent(id: string, address: string): void {
  showRun(id);
  const { agent } = parseAddress(address);
  const changeId = useHost.getState().run?.workers.find(({ name }) => name === agent)?.changeId;
  if (changeId) inspect(changeId);
}

/** The run that began after the one on screen, and after the last the first. */
export function showNextRun(): void {
  const state = useHost.getState();
  const all = runsOf(state);
  const next = all[(all.findIndex(({ id }) => id === state.run?.id) + 1) % all.length];
  if (next) showRun(next.id);
}

/** Keeps on screen what the user asked for. */
export function followOtherRuns(): void {
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
