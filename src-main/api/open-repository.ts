import type { HostEvent, RepositoryState } from "#shared/contract/events.ts";
import type { RepositoryView } from "#shared/contract/views/repository.ts";
import type { Refs } from "#shared/graph/change.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { coalesceEvents } from "./coalesce.ts";
import { beginReading, createGraphFollower } from "./graph-follower.ts";
import type { LiveGraph } from "./live-graph.ts";
import { noticeOf } from "./notice-of.ts";
import { createOperationList } from "./operation-list.ts";

export interface OpenRepositoryOptions {
  readonly repository: Repository;
  /** Starts while the graph is read. Null: another host works on this repository; here one can only look. */
  readonly engine: Promise<Engine | null>;
  readonly rehearsal: string | null;
  /** The other host that works on this repository. */
  readonly heldBy: string | null;
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
      views.publishNew();
      // Nobody waits for the log of operations, so it comes after the graph and must not take that one's share of the machine.
      operations.ask();
    },
  });
  const view = (): RepositoryView => repositoryView(options, engine, follower.graph().refs());
  const views = createViewPublisher(view, publish);
  const state = (): RepositoryState => {
    const { run = null, timeline = null, otherRuns = [], inbox = [], messages = [] } = engine?.state() ?? {};
    return { view: view(), run, timeline, otherRuns, inbox, messages, operations: operations.current() };
  };
  // Watching begins with the operation that stands then, so that none falls between it and the reading.
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
  views.begin();
  publish({ kind: "repository", repository: state() });
  if (engine) endings.push(passOn(engine, publish, views.publishNew));
  await follower.show(read);
}

/** Tells of a repository's view when it is another one than clients know. */
function createViewPublisher(view: () => RepositoryView, publish: (event: HostEvent) => void) {
  let known = "";
  return {
    /** Clients are told of it as it is now, with all the rest. */
    begin(): void {
      known = JSON.stringify(view());
    },
    publishNew(): void {
      const now = view();
      const text = JSON.stringify(now);
      if (text === known) return;
      known = text;
      publish({ kind: "repository-view", view: now });
    },
  };
}

/** Publishes what the engine tells, and the repository's view where a run changes it, until it is ended. */
function passOn(engine: Engine, publish: (event: HostEvent) => void, publishView: () => void): () => void {
  const batch = coalesceEvents((event) => {
    publish(event);
    if (event.kind === "run") publishView();
  });
  const stop = engine.listen((event) => batch.push(event));
  return () => {
    stop();
    batch.flush();
  };
}

const repositoryView = (
  { repository, rehearsal, heldBy }: OpenRepositoryOptions,
  engine: Engine | null,
  refs: Refs,
): RepositoryView => ({
  path: repository.root,
  name: repository.name,
  rehearsal,
  runs: engine?.runs() ?? [],
  mainBookmark: mainBookmark(refs),
  ...(heldBy === null ? {} : { heldBy }),
});

const mainNames = ["main", "master", "trunk"];

function mainBookmark(refs: Refs): string | null {
  return mainNames.find((name) => refs.bookmarks[name] !== undefined) ?? null;
}
