import { setTimeout as pause } from "node:timers/promises";
import type { HostEvent, RepositoryState } from "#shared/contract/events.ts";
import type { RepositoryView } from "#shared/contract/views/app.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import {
  type GraphSnapshot,
  listedOperations,
  type Operation,
  shortOperation,
  withNewerOperations,
} from "#shared/graph/change.ts";
import type { RecordedEvent } from "#shared/run/events.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { createLiveGraph, type LiveGraph, shownOperations } from "./live-graph.ts";
import { noticeOf } from "./refusal.ts";

interface OpenRepositoryOptions {
  readonly repository: Repository;
  /** Starts while the graph is read. Null: another host works on this repository; here one can only look. */
  readonly engine: Promise<Engine | null>;
  readonly rehearsal: string | null;
  /** The other host that works on this repository. */
  readonly lockedBy: string | null;
  readonly publish: (event: HostEvent) => void;
  /** Whether a window shows it. */
  readonly isShown: () => boolean;
  /** Called once, before its first event. */
  readonly onOpen: (open: OpenRepository) => void;
}

/** One repository on screen: its graph, kept up with what any jj command does to it, and the engine's views. */
export interface OpenRepository {
  readonly repository: Repository;
  readonly engine: Engine | null;
  state(): RepositoryState;
  view(): RepositoryView;
  graph(): LiveGraph;
  /** What a client that joins later needs after the state. */
  parts(): readonly HostEvent[];
  close(): Promise<void>;
}

/** Publishes the repository and its graph as it is read, and stays up to date until closed. */
export async function openRepository(options: OpenRepositoryOptions): Promise<void> {
  const { repository, publish } = options;
  // jj reads while the engine starts.
  const read = beginReading(repository);
  const engine = await options.engine;
  const closing = new AbortController();
  const operations = createOperationList(repository, publish, {
    signal: closing.signal,
    isShown: options.isShown,
  });
  const follower = createGraphFollower({
    repository,
    publish,
    signal: closing.signal,
    changed() {
      publishView();
      // Nobody waits for the log of operations, so it comes after the graph and must not take that one's share of the machine.
      operations.ask();
    },
  });
  const view = (): RepositoryView => repositoryView(options, engine);
  const state = (): RepositoryState => {
    const { runs, run } = engine?.snapshots() ?? { runs: [], run: null };
    return { view: view(), runs, run, inbox: engine?.inbox() ?? [], operations: operations.current() };
  };
  // Watching starts at the current operation, so that none is missed between it and the reading.
  const endings = [
    repository.watch(follower.follow, (error) =>
      publish(noticeOf("Changes in the repository can't be watched", error)),
    ),
  ];
  // From here on a client that comes finds it, and nothing may come between that and the events.
  options.onOpen({
    repository,
    engine,
    state,
    view,
    graph: follower.graph,
    parts() {
      operations.ask();
      return follower.graph().parts();
    },
    async close() {
      closing.abort();
      for (const end of endings) end();
      try {
        await engine?.close();
      } finally {
        await follower.stop();
        await operations.stop();
        await repository.close();
      }
    },
  });
  // Clients receive the current one with the snapshot.
  const publishView = publishWhereOther(
    view,
    (now) => publish({ kind: "repository-view", view: now }),
    JSON.stringify(view()),
  );
  publish({ kind: "repository", repository: state() });
  if (engine) endings.push(passOn(engine, publish, publishView));
  await follower.show(read);
}

/** The graph is followed with at most half of one core. */
const graphRests = 1;

/** The graph on screen, updated after every jj command. */
function createGraphFollower({
  repository,
  publish,
  changed,
  signal,
}: Pick<OpenRepositoryOptions, "repository" | "publish"> & {
  /** Another graph is on screen. */
  readonly changed: () => void;
  /** Aborted: stop reporting. */
  readonly signal: AbortSignal;
}) {
  let graph = createLiveGraph();
  let isReading = true;
  let newest: string | null = null;

  const shortOperations = async (to: string, since?: string): Promise<readonly string[]> => {
    const limit = { limit: shownOperations, ...(since === undefined ? {} : { since }) };
    return (await repository.operationsUpTo(to, limit)).map(shortOperation);
  };

  /** Publishes a graph while it is read, and follows later changes. */
  const show = async (reading: Reading): Promise<void> => {
    const next = createLiveGraph();
    graph = next;
    isReading = true;
    try {
      const read = await reading((changes, of) => {
        if (!signal.aborted) publish(next.append(changes, of));
      });
      const operations = await shortOperations(read.operation);
      if (signal.aborted) return;
      publish(next.finish(read, operations));
    } finally {
      isReading = false;
    }
    changed();
    follow(newest ?? next.operation());
  };

  const step = async (operation: string): Promise<void> => {
    try {
      const delta = await repository.readPublishedDelta(graph.operation(), operation);
      const operations = await shortOperations(delta.operation, delta.from);
      publish(graph.apply(delta, operations));
    } catch {
      // The operation on screen may be gone (`jj op abandon`, gc): read everything again, and let only that
      // fail.
      await show(beginReading(repository, operation));
      return;
    }
    changed();
  };

  const following = paced(async () => {
    if (signal.aborted || newest === null || newest === graph.operation()) return;
    try {
      await step(newest);
    } catch (error) {
      // The next operation tries again; to do so now would only repeat the failure.
      if (!signal.aborted) publish(noticeOf("The graph could not be updated", error));
    }
  }, graphRests);

  /** One reader at a time; operations that arrive meanwhile become one delta. */
  const follow = (operation: string): void => {
    newest = operation;
    if (!isReading) following.ask();
  };
  return { graph: () => graph, show, follow, stop: following.stop };
}

/**
 * Runs one job at a time and merges requests that arrive meanwhile into one more run. With many agents
 * requests never stop, so it rests between runs.
 * @param work never fails
 * @param restFactor rest time as a multiple of the last run's time
 */
export function paced(work: () => Promise<void>, restFactor: number) {
  const ending = new AbortController();
  const { signal } = ending;
  let going: Promise<void> | null = null;
  let again = false;

  const go = async (): Promise<void> => {
    do {
      again = false;
      const begun = performance.now();
      await work();
      const rest = (performance.now() - begun) * restFactor;
      // Ended by `stop` only.
      await pause(rest, undefined, { signal, ref: false }).catch(() => undefined);
    } while (again && !signal.aborted);
    going = null;
  };

  return {
    /** Begins it at once, or once more after what is being done. */
    ask(): void {
      if (going) again = true;
      else if (!signal.aborted) going = go();
    },
    /** Begins nothing more; resolves when nothing is being done. */
    async stop(): Promise<void> {
      ending.abort();
      await going;
    },
  };
}

type OnChanges = NonNullable<NonNullable<Parameters<Repository["readGraph"]>[0]>["onChanges"]>;
/** A graph that is being read: reports rows as they come, and returns all of them. */
type Reading = (onChanges: OnChanges) => Promise<GraphSnapshot>;

function beginReading(repository: Repository, operation?: string): Reading {
  const early: Parameters<OnChanges>[] = [];
  let tell: OnChanges = (...part) => void early.push(part);
  const all = repository.readGraph({
    ...(operation === undefined ? {} : { operation }),
    onChanges: (...part) => tell(...part),
  });
  // A failure reaches listeners even if they subscribe late.
  all.catch(() => undefined);
  return (onChanges) => {
    for (const part of early) onChanges(...part);
    tell = onChanges;
    return all;
  };
}

/** The list of operations is followed with at most a tenth of one core. */
const operationsRest = 9;

/** Most of them may be snapshots of agents at work. */
const operationsRead = 5 * listedOperations;

/**
 * @param signal aborted: stop reporting
 * @param isShown whether a window shows the repository; nothing is read until then, e.g. in a terminal
 */
function createOperationList(
  repository: Repository,
  publish: (event: HostEvent) => void,
  { signal, isShown }: { readonly signal: AbortSignal; readonly isShown: () => boolean },
) {
  let isFollowed = false;
  let operations: readonly Operation[] = [];
  const listing = paced(async () => {
    if (signal.aborted) return;
    try {
      const since = operations[0]?.id;
      const read = await repository.operations({ limit: operationsRead, ...(since ? { since } : {}) });
      if (read.length === 0) return;
      const newer = withNewerOperations([], read);
      operations = withNewerOperations(operations, newer);
      publish({ kind: "operations", newer });
    } catch (error) {
      if (!signal.aborted) publish(noticeOf("The operation log could not be read", error));
    }
  }, operationsRest);
  return {
    current: () => operations,
    /** There may be newer ones. */
    ask() {
      isFollowed ||= isShown();
      if (isFollowed) listing.ask();
    },
    stop: listing.stop,
  };
}

/** Publishes a value when it differs from the last published one. @param published as JSON, what clients know already */
export function publishWhereOther<T>(now: () => T, tell: (now: T) => void, published = ""): () => void {
  let known = published;
  return () => {
    const found = now();
    const text = JSON.stringify(found);
    if (text === known) return;
    known = text;
    tell(found);
  };
}

/** Whether an event says something that the list of runs shows. */
const isOfSummary = ({ event: { kind } }: RecordedEvent): boolean =>
  kind === "StageMoved" || kind === "ResultLanded" || kind.startsWith("Landing");

/** Publishes the engine's events, and the repository's view when a run changes it, until it is ended. */
function passOn(engine: Engine, publish: (event: HostEvent) => void, publishView: () => void): () => void {
  const batch = coalesceEvents((event) => {
    publish(event);
    if (event.kind === "run" || (event.kind === "run-update" && event.update.events.some(isOfSummary)))
      publishView();
  });
  const stop = engine.listen((event) => batch.push(event));
  return () => {
    stop();
    batch.flush();
  };
}

type Conversation = Extract<HostEvent, { kind: "conversation" }>;

/** One update per this interval looks live, whatever the models' speed. */
const everyMs = 30;

/**
 * Gathers what arrives in pieces: of the inbox only the newest counts, rows of one conversation are
 * merged by index. The first event after a quiet time goes out at once. Runs and notices are never held back.
 */
function coalesceEvents(publish: (event: HostEvent) => void): {
  push(event: HostEvent): void;
  flush(): void;
} {
  /** By kind. */
  const views = new Map<string, HostEvent>();
  const conversations = new Map<string, { event: Conversation; rows: Map<number, ConversationRow> }>();
  let timer: NodeJS.Timeout | null = null;

  const send = (): boolean => {
    const events = [...views.values()];
    for (const { event, rows } of conversations.values()) {
      events.push({ ...event, rows: [...rows.values()].sort((a, b) => a.index - b.index) });
    }
    views.clear();
    conversations.clear();
    for (const event of events) publish(event);
    return events.length > 0;
  };
  const tick = (): void => {
    timer = send() ? setTimeout(tick, everyMs) : null;
  };
  return {
    push(event) {
      if (event.kind === "conversation") {
        const key = `${event.run}\n${event.worker}`;
        const held = conversations.get(key) ?? { event, rows: new Map() };
        for (const row of event.rows) held.rows.set(row.index, row);
        conversations.set(key, held);
      } else if (event.kind === "inbox") {
        views.delete(event.kind);
        views.set(event.kind, event);
      } else {
        send();
        publish(event);
        return;
      }
      if (timer === null) tick();
    },
    flush() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      send();
    },
  };
}

const repositoryView = (
  { repository, rehearsal, lockedBy }: OpenRepositoryOptions,
  engine: Engine | null,
): RepositoryView => ({
  path: repository.root,
  name: repository.name,
  rehearsal,
  runs: engine?.runs() ?? [],
  ...(lockedBy === null ? {} : { lockedBy }),
});
