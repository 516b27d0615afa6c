/** Numbered events come in here and go out once per animation frame or less often, so that a burst paints once. */
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import { type Conversations, reduceConversations, useConversations } from "./conversation-store.ts";
import { type GraphState, reduceGraph, useGraph } from "./graph-store.ts";
import { type HostStoreState, reduceHost, useHost } from "./host-store.ts";
import { notify } from "./notify.ts";
import { forgetAside, takeInbox } from "./plan-draft.ts";

/** Asked when the stream no longer fits together: a whole snapshot is needed. */
export type NeedSnapshot = () => void;

/** What comes many times a second while agents work. All else is shown with the next frame. */
const streaming: ReadonlySet<HostEvent["kind"]> = new Set(["run-update", "conversation"]);

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

/** What streams in is drawn ten times a second at most: as often as a user can read it. */
const minIntervalMs = 100;
/** Rest after a drawing, as a multiple of its duration. */
const restFactor = 4;
/** What is shown is never older than this, however long a drawing takes. */
const maxFrameDelayMs = 250;
/** A hidden window gets no animation frames; it still must not fall behind without bound. */
const hiddenDelayMs = 200;

/** Of a window; tests use a clock instead. */
export interface Frames {
  now(): number;
  isHidden(): boolean;
  /** Before the next frame is drawn. */
  requestFrame(task: () => void): void;
  /** After the frame has been drawn that is being prepared. */
  afterFrame(task: () => void): void;
  /** @returns takes it back */
  later(task: () => void, ms: number): () => void;
}

const windowFrames: Frames = {
  now: () => performance.now(),
  isHidden: () => document.visibilityState === "hidden",
  requestFrame: (task) => requestAnimationFrame(task),
  afterFrame(task) {
    // A message comes after what the frame needs: styles, layout and paint. A timer would be held back.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      task();
    };
    port2.postMessage(null);
  },
  later(task, ms) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * When what came in is drawn: with the next frame, but never so often that a window does nothing else.
 *
 * Draws at most once in `minIntervalMs`, and rests after slow drawings: fifty agents that speak at once
 * leave time for clicks.
 * @returns asks for a drawing; an urgent one does not wait for the rest to be over
 */
export function pacedFrames(
  draw: () => void,
  frames: Frames = windowFrames,
): (ask: { readonly isUrgent: boolean }) => void {
  let isRequested = false;
  let takeBack: (() => void) | null = null;
  let restUntil = 0;

  const drawNow = (): void => {
    isRequested = false;
    const begun = frames.now();
    draw();
    frames.afterFrame(() => {
      const now = frames.now();
      const rest = Math.min(maxFrameDelayMs, (now - begun) * restFactor);
      restUntil = Math.max(begun + minIntervalMs, now + rest);
    });
  };
  const request = (): void => {
    takeBack?.();
    takeBack = null;
    isRequested = true;
    if (frames.isHidden()) frames.later(drawNow, hiddenDelayMs);
    else frames.requestFrame(drawNow);
  };
  return ({ isUrgent }) => {
    if (isRequested) return;
    // Bounded here too: a clock that goes back would make the rest as long as the window is old.
    const rest = isUrgent ? 0 : Math.min(maxFrameDelayMs, restUntil - frames.now());
    if (rest <= 0) request();
    else takeBack ??= frames.later(request, rest);
  };
}

const askForFrame = pacedFrames(flush);

/** The current state from the host. In the stores, or set aside during a replay. */
interface Present {
  readonly host: HostStoreState;
  readonly rows: Conversations;
  readonly graph: GraphState;
}

let aside: Present | null = null;
let presentLeft: () => void = () => {};

/** Keeps following the present without showing it. @param left called if its repository is closed meanwhile */
export function putPresentAside(left: () => void): void {
  aside ??= present();
  presentLeft = left;
}

/** Shows the present again. */
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

/** Reduces events into the stores, each store written at most once. */
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
  if (graph.kind === "gap" || host.isBehind) {
    forgetPlace();
    needSnapshot();
  }

  for (const event of events) if (event.kind === "notice") notify(event.level, event.text, event.remedy);
}
