/** What the host says about the app, the repository and the run. Written only by numbered events. */
import { useState } from "react";
import { create } from "zustand";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import type { AppView, OpenRepositoryView, RepositoryView } from "#shared/contract/views/app.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { addressMatches } from "#shared/domain/change-metadata/address.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import type { Present } from "#shared/domain/people/role.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { RunTimeline } from "#shared/domain/timeline/timeline.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { type Operation, withNewerOperations } from "#shared/graph/change.ts";
import { type RunSnapshot, withUpdate } from "#shared/run/live.ts";
import { messagesOf, runHead, runTimeline, runView } from "#shared/run/view.ts";
import { keepShared, shareStructure } from "./structural-sharing.ts";

export interface HostStoreState {
  readonly app: AppView | null;
  readonly repository: RepositoryView | null;
  /** All that are open in the host, the shown one among them. */
  readonly open: readonly OpenRepositoryView[];
  /** Who is connected, where several people share the host. */
  readonly present: readonly Present[];
  /** Set while a repository is being opened. */
  readonly opening: { readonly path: string; readonly step: string } | null;
  /** Runs that are active, or ended since the last one began, in the order in which they began. */
  readonly runs: readonly RunSnapshot[];
  /** The run on screen; `other-runs.ts` changes which one that is. */
  readonly shown: string | null;
  /** Updates came that do not follow what is known: only a snapshot helps. */
  readonly isBehind: boolean;
  /** What screens show of the run on screen. */
  readonly run: RunView | null;
  /** What happened in it, as `useTimeline` shows it. */
  readonly timeline: RunTimeline | null;
  readonly otherRuns: readonly ShownRun[];
  /** Of all these runs. */
  readonly messages: readonly MessageView[];
  readonly inbox: readonly InboxItem[];
  /** Newest first. */
  readonly operations: readonly Operation[];
}

export const emptyHost: HostStoreState = {
  app: null,
  repository: null,
  open: [],
  present: [],
  opening: null,
  runs: [],
  shown: null,
  isBehind: false,
  run: null,
  timeline: null,
  otherRuns: [],
  messages: [],
  inbox: [],
  operations: [],
};

/** A run as screens show it. */
interface ShownRun {
  readonly run: RunView;
  readonly timeline: RunTimeline;
  readonly messages: readonly MessageView[];
}

/** The next state; the same object when no event concerns it. What an event says again is the same object again. */
export function reduceHost(state: HostStoreState, ...events: readonly HostEvent[]): HostStoreState {
  const next = events.reduce(reduced, state);
  if (next === state) return state;
  const { runs, shown } = next;
  return shareStructure(
    state,
    runs === state.runs && shown === state.shown ? next : withRuns(next, runs, shown),
  );
}

function reduced(state: HostStoreState, event: HostEvent): HostStoreState {
  switch (event.kind) {
    case "snapshot":
    case "repository": {
      const app = event.kind === "snapshot" ? event.app : state.app;
      const open = event.kind === "snapshot" ? (event.open ?? []) : state.open;
      const present = event.kind === "snapshot" ? (event.present ?? []) : state.present;
      const opened = event.repository;
      if (opened === null) return { ...emptyHost, app, open, present };
      const { view, runs, run, inbox, operations } = opened;
      // You keep looking at the same run: neither a lost connection nor a snapshot shows another one.
      const isKept = state.repository?.path === view.path && runs.some(({ id }) => id === state.shown);
      return {
        ...emptyHost,
        app,
        open,
        present,
        repository: view,
        runs,
        shown: isKept ? state.shown : run,
        inbox,
        operations,
      };
    }
    case "app":
      return { ...state, app: event.app };
    case "open-repositories":
      return { ...state, open: event.repositories };
    case "repository-view":
      return { ...state, repository: event.view };
    case "presence":
      return { ...state, present: event.present };
    case "repository-opening":
      return { ...state, opening: { path: event.path, step: event.step } };
    case "operations":
      return { ...state, operations: withNewerOperations(state.operations, event.newer) };
    case "run":
      return withRun(state, event.run);
    case "run-update": {
      const before = state.runs.find(({ id }) => id === event.update.run);
      const after = before && withUpdate(before, event.update);
      if (!after) return { ...state, isBehind: true };
      return { ...state, runs: state.runs.map((one) => (one === before ? after : one)) };
    }
    case "inbox":
      return { ...state, inbox: event.items };
    case "graph-part":
    case "graph-delta":
    case "conversation":
    case "notice":
    case "alive":
      return state;
  }
}

/** A run that is shown from now on: on screen where the run there has ended, else in the background. */
function withRun(state: HostStoreState, run: RunSnapshot): HostStoreState {
  if (state.runs.some(({ id }) => id === run.id))
    return { ...state, runs: state.runs.map((one) => (one.id === run.id ? run : one)) };
  const hasEnded = (one: RunSnapshot): boolean => runHead(one.id, one.state, one.live).endedAt !== null;
  const onScreen = state.runs.find(({ id }) => id === state.shown);
  const isFree = onScreen === undefined || hasEnded(onScreen);
  // Ended runs make room, as they do in the host.
  const runs = state.runs.filter((one) => one === onScreen || !hasEnded(one));
  return {
    ...state,
    runs: [...(isFree ? runs.filter((one) => one !== onScreen) : runs), run],
    shown: isFree ? run.id : state.shown,
  };
}

/** The state with these runs, and what screens show of them. */
export function withRuns(
  state: HostStoreState,
  runs: readonly RunSnapshot[],
  shown: string | null,
): HostStoreState {
  const before = new Map(
    [
      ...state.otherRuns,
      ...(state.run && state.timeline ? [{ run: state.run, timeline: state.timeline, messages: [] }] : []),
    ].map((one) => [one.run.id, one]),
  );
  const all = runs.map((one) => shownRun(one, before.get(one.id)));
  const first = all.find(({ run }) => run.id === shown) ?? all.at(-1);
  return {
    ...state,
    runs,
    shown: first?.run.id ?? null,
    run: first?.run ?? null,
    timeline: first?.timeline ?? null,
    otherRuns: all.filter((one) => one !== first),
    messages: all.flatMap(({ messages }) => messages),
  };
}

const views = new WeakMap<RunSnapshot, ShownRun>();

function shownRun(data: RunSnapshot, before: ShownRun | undefined): ShownRun {
  const known = views.get(data);
  if (known) return known;
  const made = shareStructure(before, {
    run: runView(data),
    timeline: runTimeline(data),
    messages: messagesOf(data.live),
  });
  views.set(data, made);
  return made;
}

export const useHost = create<HostStoreState>(() => emptyHost);

/** What is made of the state: renders again when that says something else, and not with every word that streams in. */
export function usePartOfHost<T>(partOf: (state: HostStoreState) => T): T {
  const [share] = useState(() => keepShared<T>());
  return useHost((state) => share(partOf(state)));
}

export const hasRepository = (): boolean => useHost.getState().repository !== null;

const byChange = new WeakMap<readonly WorkerView[], ReadonlyMap<string, WorkerView>>();

/** Change id → the agent or orchestrator that works on it; built once for each list of workers. */
export function workersByChange(workers: readonly WorkerView[]): ReadonlyMap<string, WorkerView> {
  const known = byChange.get(workers);
  if (known) return known;
  const made = new Map<string, WorkerView>();
  for (const worker of workers)
    if (worker.changeId && roles[worker.role].isListed) made.set(worker.changeId, worker);
  byChange.set(workers, made);
  return made;
}

/** The worker of one change, so that a node renders alone when its own agent moves. */
export const useWorkerOf = (changeId: string | null): WorkerView | null =>
  useHost(({ run, otherRuns }) => {
    if (!changeId || !run) return null;
    for (const { workers } of [run, ...otherRuns.map((one) => one.run)]) {
      const found = workersByChange(workers).get(changeId);
      if (found) return found;
    }
    return null;
  });

/** Why a worker's change is in conflict, in one sentence: what a decision holds against it, or who brought it. */
export const useConflictReason = (worker: WorkerView | null): string | null =>
  useHost(({ run }) => {
    if (!worker || !run || worker.conflict === "none") return null;
    if (worker.conflictsWith.length > 0)
      return `with ${worker.conflictsWith.map(({ worker: other, files }) => `${other} in ${files.map(shownName).join(", ")}`).join(" and ")}`;
    if (worker.conflict === "merge")
      return worker.conflictCause && `since: ${worker.conflictCause.description}`;
    for (const { title, compliance } of run.decisions) {
      const against = compliance.find((one) => one.worker === worker.name && one.state === "contradicts");
      if (against) return `${title}: ${against.reason}`;
    }
    return null;
  });

const unhandled = new WeakMap<readonly MessageView[], ReadonlyMap<string, number>>();

/** Address → messages not yet handled. */
function unhandledByAddress(messages: readonly MessageView[]): ReadonlyMap<string, number> {
  const known = unhandled.get(messages);
  if (known) return known;
  const made = new Map<string, number>();
  for (const message of messages) if (!message.handled) made.set(message.to, (made.get(message.to) ?? 0) + 1);
  unhandled.set(messages, made);
  return made;
}

/** The address under which a worker is reached: `O-A-1`, `O-A-1/agent-2`. */
export const addressOf = (worker: Pick<WorkerView, "name" | "parent" | "role">): string =>
  roles[worker.role].isLead || worker.parent === null ? worker.name : `${worker.parent}/${worker.name}`;

/** How many messages wait for this worker; wildcards count for whom they match. */
export function unreadOf(worker: WorkerView, messages: readonly MessageView[]): number {
  const recipient = addressOf(worker);
  let count = 0;
  for (const [address, number] of unhandledByAddress(messages))
    if (addressMatches(address, recipient)) count += number;
  return count;
}

/**
 * What happened in the run on screen, up to the shown moment: the same object until something happens; each track the same
 * until something happens on it.
 */
export const useTimeline = (): RunTimeline | null => useHost((state) => state.timeline);

export const useUnread = (worker: WorkerView | null): number =>
  useHost(({ messages }) => (worker ? unreadOf(worker, messages) : 0));
