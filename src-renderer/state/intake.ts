/** Numbered events come in here and go out once per animation frame or less often, so that a burst paints once. */
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import { type Conversations, reduceConversations, useConversations } from "./conversation-store.ts";
import { type GraphState, reduceGraph, useGraph } from "./graph-store.ts";
import { type HostStoreState, reduceHost, useHost } from "./host-store.ts";
import { notify } from "./notice-store.ts";
import { pacedFrames } from "./paced-frames.ts";
import { forgetAside, takeInbox } from "./plan-draft.ts";

/** Asked when the stream no longer fits together: a whole snapshot is needed. */
export type NeedSnapshot = () => void;

/** What comes many times a second while agents speak. All else is shown with the next frame. */
const streaming: ReadonlySet<HostEvent["kind"]> = new Set(["run", "conversation", "timeline"]);

let pending: HostEvent[] = [];
let lastSeen: number | null = null;
let graphOpen = false;
let needSnapshot: NeedSnapshot = () => {};

/** The number to go on from; null asks for a snapshot, also when a graph was cut in the middle. */
export const resumeFrom = (): number | null => (graphOpen ? null : lastSeen);

export function whenSnapshotNeeded(ask: NeedSnapshot): void {
  needSnapshot = ask;
}

export function take({ seq, event }: NumberedEvent): void {
  // A sign of life has no place in the stream.
  if (event.kind === "alive") return;
  lastSeen = seq;
  if (event.kind === "graph-part") graphOpen = !event.last;
  if (event.kind === "snapshot") pending = [];
  pending.push(event);
  askForFrame({ isUrgent: !streaming.has(event.kind) });
}

/** Forgets the place in the stream, so that the next connection starts with a snapshot. */
function forgetPlace(): void {
  lastSeen = null;
}

function flush(): void {
  const events = pending;
  pending = [];
  apply(events);
}

const askForFrame = pacedFrames(flush);

/** What the host says of now. It stands in the stores, or aside while a replay is shown there. */
interface Present {
  readonly host: HostStoreState;
  readonly rows: Conversations;
  readonly graph: GraphState;
}

let aside: Present | null = null;
let presentLeft: () => void = () => {};

/** What goes on is still followed, and not shown. @param left called where its repository is closed meanwhile */
export function putPresentAside(left: () => void): void {
  aside ??= present();
  presentLeft = left;
}

/** Shows what goes on, as it is by then. */
export function bringPresentBack(): void {
  const back = aside;
  aside = null;
  if (back) show(back);
}

const present = (): Present =>
  aside ?? {
    host: useHost.getState(),
    rows: useConversations.getState().rows,
    graph: useGraph.getState(),
  };

function show({ host, rows, graph }: Present): void {
  if (host !== useHost.getState()) useHost.setState(host, true);
  if (rows !== useConversations.getState().rows) useConversations.setState({ rows });
  if (graph !== useGraph.getState()) useGraph.setState(graph, true);
}

/** Folds events into the stores, each store written at most once. */
function apply(events: readonly HostEvent[]): void {
  const before = present();
  const host = reduceHost(before.host, ...events);
  const graph = reduceGraph(before.graph, events);
  const after = {
    host,
    rows: events.reduce(reduceConversations, before.rows),
    graph: graph.kind === "gap" ? before.graph : graph.state,
  };
  if (aside === null) show(after);
  else {
    aside = after;
    const { app, repository, open } = host;
    if (repository?.path !== before.host.repository?.path) presentLeft();
    else if (app !== before.host.app || repository !== before.host.repository || open !== before.host.open)
      useHost.setState({ app, repository, open });
  }
  if (host.inbox !== before.host.inbox) takeInbox(host.inbox);
  if (host.run?.planApproved && !before.host.run?.planApproved) forgetAside();
  if (graph.kind === "gap") {
    forgetPlace();
    needSnapshot();
  }

  for (const event of events) if (event.kind === "notice") notify(event.level, event.text, event.remedy);
}
