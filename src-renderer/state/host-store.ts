/** What the host says about the app, the repository and the run. Written only by numbered events. */
import { useState } from "react";
import { create } from "zustand";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { HostEvent, OtherRunView } from "#shared/contract/events.ts";
import type { AppView } from "#shared/contract/views/app.ts";
import type { MessageView } from "#shared/contract/views/message.ts";
import type { OpenRepositoryView } from "#shared/contract/views/open-repositories.ts";
import type { RepositoryView } from "#shared/contract/views/repository.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { addressMatches } from "#shared/domain/graph-words/address.ts";
import type { RunTimeline } from "#shared/domain/timeline/timeline.ts";
import { withTimelineNews } from "#shared/domain/timeline/timeline-news.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Operation } from "#shared/graph/change.ts";
import { keepShared, shareStructure } from "./structural-sharing.ts";

export interface HostStoreState {
  readonly app: AppView | null;
  readonly repository: RepositoryView | null;
  /** All that are open in the host, the shown one among them. */
  readonly open: readonly OpenRepositoryView[];
  /** Set while a repository is being opened. */
  readonly opening: { readonly path: string; readonly step: string } | null;
  /** The run that is on screen. */
  readonly run: RunView | null;
  /** What happened in it; read by `timeline.ts`. */
  readonly timeline: RunTimeline | null;
  /** The others that go on, or have ended since the last one began; `runs-beside.ts` changes which one is on screen. */
  readonly otherRuns: readonly OtherRunView[];
  /** What happened in a run whose view has not come yet. */
  readonly early: RunTimeline | null;
  readonly inbox: readonly InboxItem[];
  readonly messages: readonly MessageView[];
  /** Newest first. */
  readonly operations: readonly Operation[];
}

export const emptyHost: HostStoreState = {
  app: null,
  repository: null,
  open: [],
  opening: null,
  run: null,
  timeline: null,
  otherRuns: [],
  early: null,
  inbox: [],
  messages: [],
  operations: [],
};

/**
 * The next state; the same object when no event concerns it. The host sends whole views: every part of one that says what it
 * said before is the same object again. Of several views of one thing only the last is compared with what was known.
 */
export function reduceHost(state: HostStoreState, ...events: readonly HostEvent[]): HostStoreState {
  const next = events.reduce(replaced, state);
  return next === state ? state : shareStructure(state, next);
}

/** The state with what the event brings, as it came. */
function replaced(state: HostStoreState, event: HostEvent): HostStoreState {
  switch (event.kind) {
    case "snapshot":
    case "repository": {
      const app = event.kind === "snapshot" ? event.app : state.app;
      const open = event.kind === "snapshot" ? (event.open ?? []) : state.open;
      const opened = event.repository;
      if (opened === null) return { ...emptyHost, app, open };
      // The view of a person is not taken away: neither by a lost connection nor by a snapshot.
      const kept = state.repository?.path === opened.view.path ? (state.run?.id ?? null) : null;
      const { run, timeline, otherRuns = [] } = opened;
      return {
        app,
        open,
        opening: null,
        repository: opened.view,
        ...shownAmong(run ? [...otherRuns, { run, timeline }] : otherRuns, kept),
        early: null,
        inbox: opened.inbox,
        messages: opened.messages,
        operations: opened.operations,
      };
    }
    case "app":
      return { ...state, app: event.app };
    case "open-repositories":
      return { ...state, open: event.repositories };
    case "repository-view":
      return { ...state, repository: event.view };
    case "repository-opening":
      return { ...state, opening: { path: event.path, step: event.step } };
    case "operations":
      return { ...state, operations: event.operations };
    case "run":
      return withRun(state, event.run);
    case "timeline": {
      const { news } = event;
      if (!state.otherRuns.some(({ run }) => run.id === news.run))
        // Of one that is not known yet; its view comes right after.
        return state.run !== null && state.run.id !== news.run && state.run.endedAt === null
          ? { ...state, early: withTimelineNews(null, news) }
          : { ...state, timeline: withTimelineNews(state.timeline, news) };
      const otherRuns = state.otherRuns.map((one) =>
        one.run.id === news.run ? { ...one, timeline: withTimelineNews(one.timeline, news) } : one,
      );
      return { ...state, otherRuns };
    }
    case "inbox":
      return { ...state, inbox: event.items };
    case "messages":
      return { ...state, messages: event.messages };
    case "graph-part":
    case "graph-delta":
    case "conversation":
    case "notice":
    case "alive":
      return state;
  }
}

/** The chosen run on screen, and the others beside it. Without one that is there, the last is on screen. */
export function shownAmong(
  all: readonly OtherRunView[],
  chosen: string | null,
): Pick<HostStoreState, "run" | "timeline" | "otherRuns"> {
  const shown = all.find(({ run }) => run.id === chosen) ?? all.at(-1);
  return {
    run: shown?.run ?? null,
    timeline: shown?.timeline ?? null,
    otherRuns: all.filter((one) => one !== shown),
  };
}

/** Updates a run. A new one is shown if the one on screen is over; else it is added to the others. */
function withRun(state: HostStoreState, run: RunView): HostStoreState {
  if (state.run?.id === run.id) return { ...state, run };
  if (state.otherRuns.some((one) => one.run.id === run.id))
    return {
      ...state,
      otherRuns: state.otherRuns.map((one) => (one.run.id === run.id ? { ...one, run } : one)),
    };
  // What is over makes room, as it does for the host.
  const otherRuns = state.otherRuns.filter((one) => one.run.endedAt === null);
  if (state.run === null || state.run.endedAt !== null) return { ...state, run, otherRuns };
  return { ...state, early: null, otherRuns: [...otherRuns, { run, timeline: state.early }] };
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
export function useUnread(worker: WorkerView | null): number {
  return useHost((state) => {
    if (!worker) return 0;
    const recipient = addressOf(worker);
    let count = 0;
    for (const [address, number] of unhandledByAddress(state.messages)) {
      if (addressMatches(address, recipient)) count += number;
    }
    return count;
  });
}
