/** A timeline for windows: from the journal's events, cards and messages. */

import type { MessageView } from "../messages/message-view.ts";
import type { Plan } from "../plan/plan.ts";
import { startOf } from "../text/format-text.ts";
import { shownLine } from "../text/shown-text.ts";
import { breaksOf } from "./time-spans.ts";
import type {
  AppliedDecision,
  Interval,
  RunTimeline,
  TimelineDecision,
  TimelineMessage,
  TimelineState,
  TimelineTrack,
  TrackMark,
  TrackStretch,
} from "./timeline.ts";

const longest = 160;
const line = (text: string): string => startOf(shownLine(text), longest);

/** A question to the user. */
interface AskedUser {
  /** Of its card. */
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly at: number;
  readonly answeredAt: number | null;
  /** Null without an answer. */
  readonly answer: string | null;
}

/** A decision that the user was asked about. */
interface ProposedDecision {
  readonly card: string;
  readonly orchestrator: string;
  readonly title: string;
  readonly at: number;
  readonly answeredAt: number | null;
  readonly isApproved: boolean;
  /** Workers. */
  readonly binds: readonly string[];
  readonly conflicts: readonly string[];
}

/** A card that blocks or blocked a worker. */
export interface AwaitedCard {
  /** Null: the run. */
  readonly worker: string | null;
  readonly at: number;
  readonly answeredAt: number | null;
  /** When its worker begins to wait for it: at once, at the end of its iteration, or when it has nothing else to do. */
  readonly waits: "at-once" | "next-iteration" | "when-done";
}

/** The parts of a timeline in addition to its events. */
export interface TimelineParts {
  /** Each the oldest first. */
  readonly asked: readonly AskedUser[];
  readonly proposed: readonly ProposedDecision[];
  readonly written: readonly MessageView[];
  readonly awaited: readonly AwaitedCard[];
}

/** Puts a timeline together. Tracks that did not change are the same objects again. */
export function timelineOf(state: TimelineState, parts: TimelineParts): RunTimeline {
  const { run, startedAt, endedAt, away, root } = state;
  const tracks = tracksOf(state);
  const waiting = parts.awaited.flatMap((card) => {
    const track =
      (card.worker !== null && Object.hasOwn(state.homes, card.worker) && state.homes[card.worker]) || root;
    return waitsFor(card, trackOf(state, track)).map((wait) => ({ ...wait, track }));
  });
  return {
    ...{ run, startedAt, endedAt, tracks },
    messages: messagesOf(state, parts),
    decisions: decisionsOf(state, parts.proposed),
    breaks: breaksOf({ startedAt, endedAt, tracks, waiting, away }),
  };
}

/** When a card blocked its worker: one that may wait is shown while the work continues. */
function waitsFor({ at, answeredAt, waits }: AwaitedCard, track: TimelineTrack | null): readonly Interval[] {
  const to = answeredAt ?? Infinity;
  if (waits === "at-once") return [{ from: at, to }];
  const iterations = (track?.marks ?? []).filter(
    (mark) => mark.kind === "iteration" && mark.at >= at && mark.at < to,
  );
  if (waits === "next-iteration") return iterations.slice(0, 1).map((first) => ({ from: first.at, to }));
  return iterations.flatMap((mark, nth) =>
    mark.kind === "iteration" && mark.isLast ? [{ from: mark.at, to: iterations[nth + 1]?.at ?? to }] : [],
  );
}

/** In their order. */
export function tracksOf(state: TimelineState): readonly TimelineTrack[] {
  const tracks: TimelineTrack[] = [];
  const seen = new Set<string>();
  const add = (orchestrator: string): void => {
    const spine = trackOf(state, orchestrator);
    if (!spine || seen.has(orchestrator)) return;
    seen.add(orchestrator);
    tracks.push(spine);
    for (const id of state.lanes[orchestrator] ?? []) {
      const part = state.parts[id];
      const lane = trackOf(state, id);
      if (part !== undefined) add(part);
      else if (lane) tracks.push(lane);
    }
  };
  add(state.root);
  return tracks;
}

const kindOfWritten = ({ type, replyTo }: MessageView): TimelineMessage["kind"] => {
  if (type === "mutation") return "decision";
  if (type === "align-request") return "question";
  return replyTo === undefined ? "info" : "answer";
};

/** An unnamed author is the user. */
const you = "you";

function messagesOf(state: TimelineState, { asked, written }: TimelineParts): readonly TimelineMessage[] {
  const answeredAt = new Map(written.flatMap(({ replyTo, at }) => (replyTo ? [[replyTo, at] as const] : [])));
  const sent = written.map((message): TimelineMessage => {
    const { changeId: id, from, to, text, at, handled } = message;
    const settledAt = answeredAt.get(id) ?? state.readAt[id] ?? (handled ? at : null);
    const kind = kindOfWritten(message);
    return { id, kind, from: from === "user" ? you : from, to, text: line(text), at, settledAt };
  });
  const put = asked.flatMap(({ id, from, text, at, answeredAt: settledAt, answer }): TimelineMessage[] => [
    { id, kind: "question", from, to: you, text: line(text), at, settledAt },
    ...(answer === null || settledAt === null
      ? []
      : [
          {
            ...{ id: `${id}/answer`, kind: "answer" as const, from: you, to: from },
            ...{ text: line(answer), at: settledAt, settledAt },
          },
        ]),
  ]);
  return [...sent, ...put].toSorted((one, other) => one.at - other.at);
}

function decisionsOf(
  state: TimelineState,
  proposed: readonly ProposedDecision[],
): readonly TimelineDecision[] {
  const left = new Set(state.decisions);
  const asked = proposed.map((card): TimelineDecision => {
    const applied = card.isApproved ? appliedOf(left, card) : undefined;
    if (applied) left.delete(applied);
    return {
      id: applied?.changeId ?? card.card,
      card: card.card,
      orchestrator: card.orchestrator,
      title: line(card.title),
      state: applied ? stateOf(applied) : card.answeredAt === null || card.isApproved ? "waits" : "refused",
      at: card.at,
      settledAt: applied ? (applied.withdrawnAt ?? applied.at) : card.isApproved ? null : card.answeredAt,
      binds: tracksFor(state, [...card.binds, ...(applied?.binds ?? [])]),
      conflicts: tracksFor(state, [...card.conflicts, ...(applied?.contradicted ?? [])]),
    };
  });
  const unasked = [...left].map(
    (one): TimelineDecision => ({
      id: one.changeId,
      card: null,
      orchestrator: one.orchestrator,
      title: line(one.title),
      state: stateOf(one),
      at: one.at,
      settledAt: one.withdrawnAt ?? one.at,
      binds: tracksFor(state, one.binds),
      conflicts: tracksFor(state, one.contradicted),
    }),
  );
  return [...asked, ...unasked].toSorted((one, other) => one.at - other.at);
}

const stateOf = ({ withdrawnAt }: AppliedDecision): TimelineDecision["state"] =>
  withdrawnAt === null ? "applied" : "withdrawn";

const appliedOf = (left: ReadonlySet<AppliedDecision>, card: ProposedDecision): AppliedDecision | undefined =>
  [...left].find(
    (one) => one.orchestrator === card.orchestrator && one.title === card.title && one.at >= card.at,
  );

const tracksFor = (state: TimelineState, workers: readonly string[]): readonly string[] => [
  ...new Set(workers.flatMap((name) => (Object.hasOwn(state.homes, name) ? (state.homes[name] ?? []) : []))),
];

// Not over each kind at once, for a mark's fields go with its kind.
type Unnumbered<Mark> = Mark extends TrackMark ? Omit<Mark, "id" | "at"> : never;
/** A mark before it is numbered. */
export type NewMark = Unnumbered<TrackMark>;

/** @returns the id of the lane of a task */
export const laneId = (orchestrator: string, task: string): string => `${orchestrator}/${task}`;

/** @returns the track of that id, if there is one */
export const trackOf = ({ tracks }: TimelineState, id: string): TimelineTrack | null =>
  (Object.hasOwn(tracks, id) ? tracks[id] : undefined) ?? null;

const withTrack = (state: TimelineState, track: TimelineTrack): TimelineState => ({
  ...state,
  tracks: { ...state.tracks, [track.id]: track },
});

/** Adds an orchestrator's spine, once. `part`: what it has of its parent's plan. */
export function withSpine(
  state: TimelineState,
  orchestrator: string,
  part: Pick<TimelineTrack, "parent" | "task" | "title" | "phase"> | null = null,
): TimelineState {
  if (trackOf(state, orchestrator)) return state;
  const spine: TimelineTrack = {
    id: orchestrator,
    kind: "spine",
    orchestrator,
    ...(part ?? { parent: null, task: null, title: "", phase: 0 }),
    workers: [],
    marks: [],
    stretches: [],
  };
  const { parent, task } = spine;
  const next = withTrack(state, spine);
  if (parent === null || task === null) return next;
  const placed = withLane(next, laneId(parent, task), parent, spine);
  return { ...placed, parts: { ...placed.parts, [laneId(parent, task)]: orchestrator } };
}

/** Adds a lane, once; behind those of its orchestrator, or right behind `after`. */
export function withLane(
  state: TimelineState,
  id: string,
  orchestrator: string,
  of: Pick<TimelineTrack, "task" | "title" | "phase">,
  after: string | null = null,
): TimelineState {
  if (trackOf(state, id)) return state;
  const { task, title, phase } = of;
  const next = withTrack(withSpine(state, orchestrator), {
    id,
    kind: "lane",
    orchestrator,
    parent: null,
    task,
    title,
    phase,
    workers: [],
    marks: [],
    stretches: [],
  });
  const own = next.lanes[orchestrator] ?? [];
  const place = after === null ? own.length : attemptsEnd(own, after);
  return { ...next, lanes: { ...next.lanes, [orchestrator]: own.toSpliced(place, 0, id) } };
}

/** The index after a lane and its attempts. */
function attemptsEnd(own: readonly string[], lane: string): number {
  const last = own.findLastIndex((id) => id === lane || id.startsWith(`${lane}/`));
  return last < 0 ? own.length : last + 1;
}

/** Somebody works on a track. */
export function withWorker(state: TimelineState, id: string, worker: string): TimelineState {
  const track = trackOf(state, id);
  if (!track) return state;
  const next = { ...state, homes: { ...state.homes, [worker]: id } };
  return track.workers.includes(worker)
    ? next
    : withTrack(next, { ...track, workers: [...track.workers, worker] });
}

/** Writes a mark. */
export function withMark(state: TimelineState, id: string, at: number, mark: NewMark): TimelineState {
  const track = trackOf(state, id);
  if (!track) return state;
  const numbered: TrackMark = { ...mark, id: `${id}#${track.marks.length}`, at };
  return withTrack(state, { ...track, marks: [...track.marks, numbered] });
}

/** Begins or ends a stretch; nothing if that is so already. */
export function withStretch(
  state: TimelineState,
  id: string,
  at: number,
  { kind, worker, isOn }: Pick<TrackStretch, "kind" | "worker"> & { readonly isOn: boolean },
): TimelineState {
  const track = trackOf(state, id);
  if (!track) return state;
  const open = track.stretches.findLastIndex(
    (one) => one.kind === kind && one.worker === worker && one.to === null,
  );
  if (open >= 0 === isOn) return state;
  const stretches: readonly TrackStretch[] = isOn
    ? [...track.stretches, { id: `${id}~${track.stretches.length}`, kind, worker, from: at, to: null }]
    : track.stretches.map((one, index) => (index === open ? { ...one, to: at } : one));
  return withTrack(state, { ...track, stretches });
}

/** Ends all stretches at the run's end. */
export function withoutOpenStretches(state: TimelineState, at: number): TimelineState {
  let next = state;
  for (const { id, stretches } of Object.values(state.tracks))
    for (const { kind, worker, to } of stretches)
      if (to === null) next = withStretch(next, id, at, { kind, worker, isOn: false });
  return next;
}

/** Updates the lanes from a plan. Lanes of removed tasks stay if there was work on them. */
export function withPlan(state: TimelineState, orchestrator: string, plan: Plan): TimelineState {
  let next = withSpine(state, orchestrator);
  for (const { id: task, title, phase } of plan.tasks) {
    const id = laneId(orchestrator, task);
    next = withLane(next, id, orchestrator, { task, title, phase });
    next = renamed(next, id, title, phase);
    const part = next.parts[id];
    if (part !== undefined) next = renamed(next, part, title, phase);
  }
  return { ...next, lanes: { ...next.lanes, [orchestrator]: orderedLanes(next, orchestrator, plan) } };
}

function renamed(state: TimelineState, id: string, title: string, phase: number): TimelineState {
  const track = trackOf(state, id);
  return !track || (track.title === title && track.phase === phase)
    ? state
    : withTrack(state, { ...track, title, phase });
}

/** In the plan's order; others keep their predecessor. */
function orderedLanes(state: TimelineState, orchestrator: string, plan: Plan): readonly string[] {
  const before = state.lanes[orchestrator] ?? [];
  const order = plan.tasks.map(({ id }) => laneId(orchestrator, id));
  const planned = new Set(order);
  for (const [index, id] of before.entries()) {
    if (planned.has(id)) continue;
    if (state.parts[id] === undefined && trackOf(state, id)?.workers.length === 0) continue;
    const behind = before.slice(0, index).findLast((other) => order.includes(other));
    order.splice(behind === undefined ? 0 : order.indexOf(behind) + 1, 0, id);
  }
  return order;
}
