import type { HostEvent, RepositoryState } from "#shared/contract/events.ts";
import type { RepositoryView } from "#shared/contract/views/repository.ts";
import type { GraphSnapshot, Operation, Refs } from "#shared/graph/change.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { coalesce } from "./coalesce.ts";
import { LiveGraph } from "./live-graph.ts";
import { paced } from "./paced.ts";

const shownOperations = 200;
/** The graph is followed with at most half of one core, the list of operations with a tenth. */
const [graphRests, operationsRest] = [1, 9];

export interface OpenRepositoryOptions {
  readonly repository: Repository;
  /** Starts while the graph is read. Null: another host works on this repository; here one can only look. */
  readonly engine: Promise<Engine | null>;
  readonly rehearsal: string | null;
  /** The other host that works on this repository. */
  readonly heldBy: string | null;
  readonly publish: (event: HostEvent) => void;
  /** Called once, before its first event. */
  readonly onOpen: (open: OpenRepository) => void;
}

/** One repository on screen: its graph, kept up with what any jj command does to it, and the engine's views. */
export class OpenRepository {
  readonly repository: Repository;
  readonly engine: Engine | null;
  readonly #publish: (event: HostEvent) => void;
  readonly #rehearsal: string | null;
  readonly #heldBy: string | null;
  readonly #endings: (() => void)[] = [];
  #graph = new LiveGraph();
  #reading = true;
  #operations: readonly Operation[] = [];
  #wanted: string | null = null;
  readonly #following = paced(() => this.#catchUp(), graphRests);
  readonly #listing = paced(() => this.#listOperations(), operationsRest);
  #view = "";
  #closed = false;

  private constructor(options: OpenRepositoryOptions, engine: Engine | null) {
    this.repository = options.repository;
    this.engine = engine;
    this.#publish = options.publish;
    this.#rehearsal = options.rehearsal;
    this.#heldBy = options.heldBy;
  }

  /** Publishes the repository and its graph as it is read, and stays up to date until closed. */
  static async open(options: OpenRepositoryOptions): Promise<void> {
    const { repository, publish } = options;
    // jj reads while the engine starts.
    const read = beginReading(repository);
    const open = new OpenRepository(options, await options.engine);
    // Watching begins with the operation that stands then, so that none falls between it and the reading.
    open.#endings.push(
      repository.watch(
        (operation) => open.#follow(operation),
        (error) => publish(noticeOf("Changes of the repository cannot be watched", error)),
      ),
    );
    // From here on a client that comes finds it, and nothing may come between that and the events.
    options.onOpen(open);
    open.#begin();
    await open.#showGraph(read);
  }

  state(): RepositoryState {
    const engine = this.engine?.state();
    return {
      view: this.view(),
      run: engine?.run ?? null,
      inbox: engine?.inbox ?? [],
      messages: engine?.messages ?? [],
      operations: this.#operations,
    };
  }

  view(): RepositoryView {
    return {
      path: this.repository.root,
      name: this.repository.name,
      rehearsal: this.#rehearsal,
      runs: this.engine?.state().runs ?? [],
      mainBookmark: mainBookmark(this.#graph.refs),
      ...(this.#heldBy === null ? {} : { heldBy: this.#heldBy }),
    };
  }

  get graph(): LiveGraph {
    return this.#graph;
  }

  /** What a client that joins later needs after the state. */
  parts(): readonly HostEvent[] {
    return this.#graph.parts();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const end of this.#endings) end();
    try {
      await this.engine?.close();
    } finally {
      await this.#following.stop();
      await this.#listing.stop();
      await this.repository.close();
    }
  }

  #begin(): void {
    this.#view = JSON.stringify(this.view());
    this.#publish({ kind: "repository", repository: this.state() });
    if (!this.engine) return;
    const batch = coalesce((event) => {
      this.#publish(event);
      if (event.kind === "run") this.#publishView();
    });
    const stop = this.engine.listen((event) => batch.push(event));
    this.#endings.push(() => {
      stop();
      batch.flush();
    });
  }

  #publishView(): void {
    const view = this.view();
    const text = JSON.stringify(view);
    if (text === this.#view) return;
    this.#view = text;
    this.#publish({ kind: "repository-view", view });
  }

  /** Tells of a graph while it is read. */
  async #showGraph(reading: Reading): Promise<void> {
    const graph = new LiveGraph();
    this.#graph = graph;
    this.#reading = true;
    try {
      const read = await reading((changes, of) => {
        if (!this.#closed) this.#publish(graph.append(changes, of));
      });
      if (this.#closed) return;
      this.#publish(graph.finish(read));
    } finally {
      this.#reading = false;
    }
    this.#publishView();
    // Nobody waits for the log of operations, so it must not take the graph's share of the machine.
    this.#listing.ask();
    this.#follow(this.#wanted ?? graph.operation);
  }

  /** One reader at a time; operations that arrive meanwhile become one delta. */
  #follow(operation: string): void {
    this.#wanted = operation;
    if (!this.#reading) this.#following.ask();
  }

  async #catchUp(): Promise<void> {
    const wanted = this.#wanted;
    if (this.#closed || wanted === null || wanted === this.#graph.operation) return;
    try {
      await this.#step(wanted);
    } catch (error) {
      // The next operation tries again; to do so now would only repeat the failure.
      if (!this.#closed) this.#publish(noticeOf("The graph could not be brought up to date", error));
    }
  }

  async #step(wanted: string): Promise<void> {
    try {
      const delta = await this.repository.readDelta(this.#graph.operation, wanted);
      this.#graph.apply(delta);
      this.#publish({ kind: "graph-delta", delta });
    } catch {
      // The operation on screen may be gone (`jj op abandon`, gc): everything is read anew, and only that may fail.
      await this.#showGraph(beginReading(this.repository, wanted));
      return;
    }
    this.#publishView();
    this.#listing.ask();
  }

  /** After the graph, not before: the list costs a process of its own and nobody waits for it. */
  async #listOperations(): Promise<void> {
    if (this.#closed) return;
    try {
      const since = this.#operations[0]?.id;
      const newer = await this.repository.operations({
        limit: shownOperations,
        ...(since ? { since } : {}),
      });
      if (newer.length === 0) return;
      const ids = new Set(newer.map((operation) => operation.id));
      const older = this.#operations.filter((operation) => !ids.has(operation.id));
      this.#operations = [...newer, ...older].slice(0, shownOperations);
      this.#publish({ kind: "operations", operations: this.#operations });
    } catch (error) {
      if (!this.#closed) this.#publish(noticeOf("The operation log could not be read", error));
    }
  }
}

type OnChanges = NonNullable<NonNullable<Parameters<Repository["readGraph"]>[0]>["onChanges"]>;
/** A graph that is being read: tells of what has come and of what comes, and answers with all of it. */
type Reading = (onChanges: OnChanges) => Promise<GraphSnapshot>;

function beginReading(repository: Repository, operation?: string): Reading {
  const early: Parameters<OnChanges>[] = [];
  let tell: OnChanges = (...part) => void early.push(part);
  const all = repository.readGraph({
    ...(operation === undefined ? {} : { operation }),
    onChanges: (...part) => tell(...part),
  });
  // Whoever listens is told of a failure, however late they come.
  all.catch(() => undefined);
  return (onChanges) => {
    for (const part of early) onChanges(...part);
    tell = onChanges;
    return all;
  };
}

const mainNames = ["main", "master", "trunk"];

function mainBookmark(refs: Refs): string | null {
  return mainNames.find((name) => refs.bookmarks[name] !== undefined) ?? null;
}

export function noticeOf(what: string, error: unknown): HostEvent {
  const { message, remedy } =
    error instanceof Error
      ? (error as Error & { remedy?: unknown })
      : { message: String(error), remedy: null };
  return {
    kind: "notice",
    level: "error",
    text: `${what}: ${message}`,
    remedy: typeof remedy === "string" ? remedy : null,
  };
}
