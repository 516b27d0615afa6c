/** Shows a recorded run in place of the present, at any moment of its time. Nothing can be changed meanwhile. */
import type { ReplayFrame, ReplayView } from "#shared/contract/commands/replay.ts";
import { buildGraph, type ChangeGraph } from "#shared/graph/change-graph.ts";
import { keptStates, reduceRun } from "#shared/run/reduce.ts";
import { emptyRun, newRun, type RunState } from "#shared/run/state.ts";
import { client, guardCalls } from "../client.ts";
import { focusSoon } from "../kit/focus-soon.ts";
import { forgetRecorded, loadConversation, showRowsUntil, useConversations } from "./conversation-store.ts";
import { graphElement } from "./go-to.ts";
import { useGraph } from "./graph-store.ts";
import { useHost, withRuns } from "./host-store.ts";
import { bringPresentBack, putPresentAside } from "./intake.ts";
import { notifyFailure } from "./notify.ts";
import { isReplaying, useReplay } from "./replay-store.ts";
import { useSelection } from "./selection-store.ts";
import { shareStructure } from "./structural-sharing.ts";

/** What may be asked of the host while a replay is shown: whatever only reads. */
const reads = new Set([
  ...[
    "watch",
    "doctor",
    "diagnostics",
    "folder.list",
    "folder.inspect",
    "report.runs",
    "runs.list",
    "runs.report",
    "runs.ending",
    "archangel.list",
  ],
  ...[
    "change.details",
    "change.diff",
    "change.files",
    "change.folder",
    "change.fileSides",
    "change.conflict",
    "operation.subjects",
  ],
  ...["change.lastValidation", "pattern.list", "pattern.diff", "ideas.list", "attempt.compare"],
  ...[
    "repository.open",
    "repository.close",
    "repository.forgetRecent",
    "repository.restoreRecent",
    "settings.change",
  ],
]);

function refuseChanges(path: readonly string[]): void {
  if (reads.has(path.join(".")) || path[0] === "replay" || !isReplaying()) return;
  throw new Error("This is a replay and cannot be changed. Go back to now first.");
}

/** What the user looked at when the replay began. */
let placeBefore: Partial<ReturnType<typeof useSelection.getState>> | null = null;

function keepPlace(): void {
  const { selected, view, runView, rightTab, page, filterText, filterHides } = useSelection.getState();
  placeBefore ??= { selected, view, runView, rightTab, page, filterText, filterHides };
  // A recording is looked at on the graph, whole, and nothing is put anywhere in it.
  useSelection.setState({ page: null, rebasing: null, filterText: "" });
}

interface ReplayStart {
  /** Stands still at that moment (ms since 1970) instead of playing from the beginning; read when the run is open. */
  readonly at?: () => number;
  readonly tell?: ((error: unknown) => void) | undefined;
}

const notifyOpenFailure = (error: unknown): void => notifyFailure("The recorded run was not opened", error);

/** Opens a recorded run and begins to play it; false where that failed, which `tell` hears. */
export async function beginReplay(
  open: () => Promise<ReplayView>,
  { at, tell = notifyOpenFailure }: ReplayStart = {},
): Promise<boolean> {
  try {
    const view = await open();
    const events = await client.replay.events({ replay: view.id });
    const before = useReplay.getState().view;
    if (before) closeOnHost(before);
    pause();
    keepPlace();
    const heard = [...useConversations.getState().rows.keys()];
    guardCalls(refuseChanges);
    putPresentAside(endReplay);
    forgetRecorded();
    graphs.clear();
    stateAfter = keptStates(
      events,
      newRun(view.run, view.startedAt, view.root),
      (state, { at: when, event }) => reduceRun(state, event, when),
    );
    const first = at ? Math.min(view.to, Math.max(view.from, at())) : view.from;
    useReplay.setState({ view, at: first, marked: null, isPlaying: false, hasGraph: true });
    showRowsUntil(first);
    await show(first);
    // A conversation on screen does not reload on its own.
    await Promise.all(
      heard.flatMap((key) => {
        const [run, worker] = key.split(" ");
        return run === view.run && worker ? [loadConversation(run, worker)] : [];
      }),
    );
    // Who has gone elsewhere while it was read stays there.
    if (at && useReplay.getState().at === first) seek(at());
    else if (!at) {
      play();
      // What was asked for from a dialog or a report; who drags the time stays at it.
      focusSoon(graphElement);
    }
    return true;
  } catch (error) {
    if (isReplaying()) endReplay();
    tell(error);
    return false;
  }
}

/** Back to the present. */
export function endReplay(): void {
  const { view } = useReplay.getState();
  if (!view) return;
  pause();
  useReplay.setState({ view: null });
  wanted = null;
  forgetRecorded();
  bringPresentBack();
  useSelection.setState(placeBefore ?? {});
  placeBefore = null;
  closeOnHost(view);
}

/** What the host keeps of it is memory alone; a host that is gone keeps nothing. */
function closeOnHost({ id }: ReplayView): void {
  client.replay
    .close({ replay: id })
    .catch((error: unknown) => console.info("A replay was not closed", error));
}

let wanted: number | null = null;

/** Goes to a moment. Of many that are asked for quickly the last one is shown. */
export function seek(at: number): void {
  const { view } = useReplay.getState();
  if (!view) return;
  const within = Math.min(view.to, Math.max(view.from, at));
  useReplay.setState({ at: within });
  const isAsking = wanted !== null;
  wanted = within;
  if (!isAsking) void showWanted();
}

async function showWanted(): Promise<void> {
  while (wanted !== null) {
    const at = wanted;
    try {
      await show(at);
    } catch (error) {
      pause();
      if (isReplaying()) notifyFailure("This moment cannot be shown", error);
    }
    if (wanted === at) wanted = null;
  }
}

async function show(at: number): Promise<void> {
  const { view } = useReplay.getState();
  if (!view) return;
  const frame = await client.replay.frame({ replay: view.id, at });
  const graph = await graphOf(view, frame);
  if (useReplay.getState().view?.id !== view.id) return;
  const state = useHost.getState();
  const { count, live, spendingHistory, inbox } = frame;
  const run = { id: view.run, count, live, spendingHistory, state: stateAfter(count) };
  useHost.setState(
    shareStructure(state, withRuns({ ...state, inbox, operations: [] }, [run], view.run)),
    true,
  );
  if (graph !== useGraph.getState().graph) useGraph.setState({ graph, arriving: null });
  useReplay.setState({ hasGraph: frame.operation !== null });
  showRowsUntil(at);
}

/** The run after so many of its events. */
let stateAfter: (count: number) => RunState = () => emptyRun;

/** By their operations. */
const graphs = new Map<string, ChangeGraph>();
const maxCachedGraphs = 200;
const noRows = { operation: "", changes: [], refs: { bookmarks: {}, workspaces: {} } };

async function graphOf({ id }: ReplayView, { operation, graph }: ReplayFrame): Promise<ChangeGraph> {
  const key = operation ?? "";
  const known = graphs.get(key);
  if (known) return known;
  const made = buildGraph(
    operation === null ? noRows : (graph ?? (await client.replay.graph({ replay: id, operation }))),
  );
  graphs.set(key, made);
  const [oldest] = graphs.keys();
  if (graphs.size > maxCachedGraphs && oldest !== undefined) graphs.delete(oldest);
  return made;
}

const tickMs = 100;
/** Nothing is waited for longer while it plays. */
const maxWaitMs = 2_000;
let clock: ReturnType<typeof setInterval> | null = null;

function play(): void {
  const { view, at } = useReplay.getState();
  if (!view || clock !== null) return;
  if (at >= view.to) seek(view.from);
  useReplay.setState({ isPlaying: true });
  clock = setInterval(tick, tickMs);
}

function pause(): void {
  if (clock !== null) clearInterval(clock);
  clock = null;
  useReplay.setState({ isPlaying: false });
}

export const togglePlaying = (): void => (useReplay.getState().isPlaying ? pause() : play());

function tick(): void {
  const { view, at, pace } = useReplay.getState();
  if (!view) return;
  const next = nextMoment(1) ?? view.to;
  const walked = at + tickMs * pace;
  seek(Math.max(walked, Math.min(next, view.to) - maxWaitMs * pace));
  if (useReplay.getState().at >= view.to) pause();
}

/** The time of the next moment that has words (1), or of the one before (−1). */
function nextMoment(way: 1 | -1): number | null {
  const { view, at } = useReplay.getState();
  const found =
    way === 1
      ? view?.moments.find((moment) => moment.at > at)
      : view?.moments.findLast((moment) => moment.at < at);
  return found?.at ?? null;
}

/** To the next moment, or the one before; playing stops there. */
export function step(way: 1 | -1): void {
  const { view } = useReplay.getState();
  if (!view) return;
  pause();
  seek(nextMoment(way) ?? (way === 1 ? view.to : view.from));
}

/** To where it begins, or ends; playing stops there. */
export function goToEdge(edge: "from" | "to"): void {
  const { view } = useReplay.getState();
  if (!view) return;
  pause();
  seek(view[edge]);
}

/** Keeps the moment that is shown, to compare others with it; null: no longer. */
export const markMoment = (at: number | null = useReplay.getState().at): void =>
  useReplay.setState({ marked: at });

export const paces = [1, 5, 10, 30, 100] as const;
export const setPace = (pace: number): void => useReplay.setState({ pace });
