/** Numbered events come in here and go out once per animation frame, so that a burst paints once. */
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import { reduceConversations, useConversations } from "./conversation-store.ts";
import { reduceGraph, useGraph } from "./graph-store.ts";
import { reduceHost, useHost } from "./host-store.ts";
import { notify } from "./notice-store.ts";
import { forgetAside, takeInbox } from "./plan-draft.ts";

/** Asked when the stream no longer fits together: a whole snapshot is needed. */
export type NeedSnapshot = () => void;

/** A hidden window gets no animation frames; it still must not fall behind without bound. */
const hiddenDelayMs = 200;

let pending: HostEvent[] = [];
let scheduled = false;
let lastSeen: number | null = null;
let graphOpen = false;
let needSnapshot: NeedSnapshot = () => {};

/** The number to go on from; null asks for a snapshot, also when a graph was cut in the middle. */
export const resumeFrom = (): number | null => (graphOpen ? null : lastSeen);

export function whenSnapshotNeeded(ask: NeedSnapshot): void {
  needSnapshot = ask;
}

export function take({ seq, event }: NumberedEvent): void {
  lastSeen = seq;
  if (event.kind === "graph-part") graphOpen = !event.last;
  if (event.kind === "snapshot") pending = [];
  pending.push(event);
  schedule();
}

/** Forgets the place in the stream, so that the next connection starts with a snapshot. */
function forgetPlace(): void {
  lastSeen = null;
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  if (document.visibilityState === "hidden") setTimeout(flush, hiddenDelayMs);
  else requestAnimationFrame(flush);
}

function flush(): void {
  scheduled = false;
  const events = pending;
  pending = [];
  apply(events);
}

/** Folds events into the stores, each store written at most once. */
export function apply(events: readonly HostEvent[]): void {
  const host = events.reduce(reduceHost, useHost.getState());
  const before = useHost.getState();
  if (host !== before) useHost.setState(host, true);
  if (host.inbox !== before.inbox) takeInbox(host.inbox);
  if (host.run?.planApproved && !before.run?.planApproved) forgetAside();

  const rows = events.reduce(reduceConversations, useConversations.getState().rows);
  if (rows !== useConversations.getState().rows) useConversations.setState({ rows });

  const graph = reduceGraph(useGraph.getState(), events);
  if (graph.kind === "gap") {
    forgetPlace();
    needSnapshot();
  } else if (graph.state !== useGraph.getState()) useGraph.setState(graph.state, true);

  for (const event of events) if (event.kind === "notice") notify(event.level, event.text, event.remedy);
}
