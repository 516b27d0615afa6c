import type { HostEvent } from "#shared/contract/events.ts";
import type { GraphSnapshot } from "#shared/graph/change.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { createLiveGraph, type LiveGraph } from "./live-graph.ts";
import { noticeOf } from "./notice-of.ts";
import { paced } from "./paced.ts";

/** The graph is followed with at most half of one core. */
const graphRests = 1;

/** The graph on screen, kept up with what any jj command does to it. */
export interface GraphFollower {
  graph(): LiveGraph;
  /** Tells of a graph while it is read, and follows what comes after it. */
  show(reading: Reading): Promise<void>;
  /** There is a newer operation. */
  follow(operation: string): void;
  /** Resolves when nothing is read any more. */
  stop(): Promise<void>;
}

export interface GraphFollowerOptions {
  readonly repository: Repository;
  readonly publish: (event: HostEvent) => void;
  /** Another graph is on screen. */
  readonly changed: () => void;
  /** Aborted: nothing is told any more. */
  readonly signal: AbortSignal;
}

export function createGraphFollower({
  repository,
  publish,
  changed,
  signal,
}: GraphFollowerOptions): GraphFollower {
  let graph = createLiveGraph();
  let isReading = true;
  let newest: string | null = null;

  const show = async (reading: Reading): Promise<void> => {
    const next = createLiveGraph();
    graph = next;
    isReading = true;
    try {
      const read = await reading((changes, of) => {
        if (!signal.aborted) publish(next.append(changes, of));
      });
      if (signal.aborted) return;
      publish(next.finish(read));
    } finally {
      isReading = false;
    }
    changed();
    follow(newest ?? next.operation());
  };

  const step = async (operation: string): Promise<void> => {
    try {
      const delta = await repository.readPublishedDelta(graph.operation(), operation);
      graph.apply(delta);
      publish({ kind: "graph-delta", delta });
    } catch {
      // The operation on screen may be gone (`jj op abandon`, gc): everything is read anew, and only that may fail.
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

type OnChanges = NonNullable<NonNullable<Parameters<Repository["readGraph"]>[0]>["onChanges"]>;
/** A graph that is being read: tells of what has come and of what comes, and answers with all of it. */
export type Reading = (onChanges: OnChanges) => Promise<GraphSnapshot>;

export function beginReading(repository: Repository, operation?: string): Reading {
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
