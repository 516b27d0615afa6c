/** The graph as it was at a moment of a run: from jj's operation log, or as a recording brought it along. */
import type { Change, GraphSnapshot, Operation, Refs } from "#shared/graph/change.ts";
import type { RunEvent } from "#shared/run/events.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { ofRun } from "../jj/read/read-access.ts";
import { type RecordedGraph, type RecordedGraphs, type Recording, ReplayRefusal } from "./recording.ts";

export interface PastGraphs {
  /** The operation whose graph was current at a time; null if it is gone. */
  operationAt(at: number): string | null;
  /** @throws ReplayRefusal for an operation that is gone */
  graphOf(operation: string): Promise<GraphSnapshot>;
}

type Source = Pick<Repository, "operations" | "readGraph">;

/** A log that is longer is read to here. */
const maxOperations = 50_000;
/** Graphs that are kept in memory. */
const maxEntries = 64;
/** Number of history rows below the run. */
const historyShown = 25;

/**
 * Of a run whose repository is open. Changes outside the run are not read: there may be many, and they are
 * not part of it.
 */
export async function graphsInRepository(repository: Source, recording: Recording): Promise<PastGraphs> {
  const operations = await operationsOf(repository, recording);
  const revset = revsetOf(recording);
  const kept = new Map<string, Promise<GraphSnapshot>>();
  return {
    operationAt: (at) => operations.findLast(({ time }) => time <= at)?.id ?? null,
    graphOf(operation) {
      const known = kept.get(operation);
      if (known) return known;
      if (!operations.some(({ id }) => id === operation)) return Promise.reject(gone(operation));
      const reading = repository.readGraph({ revset, operation }).then(withoutOtherRefs);
      reading.catch(() => kept.delete(operation));
      kept.set(operation, reading);
      const [oldest] = kept.keys();
      if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest);
      return reading;
    },
  };
}

/** As a recording has them. */
export function recordedGraphs({ changes, graphs }: RecordedGraphs): PastGraphs {
  const byOperation = new Map(graphs.map((graph) => [graph.operation, graph]));
  return {
    operationAt: (at) => graphs.findLast((graph) => graph.at <= at)?.operation ?? null,
    graphOf(operation) {
      const found = byOperation.get(operation);
      if (!found) return Promise.reject(gone(operation));
      const rows = found.rows.flatMap((place) => changes[place] ?? []);
      return Promise.resolve({ operation, changes: rows, refs: found.refs });
    },
  };
}

const gone = (operation: string): ReplayRefusal =>
  new ReplayRefusal(
    `The graph of operation ${operation.slice(0, 12)} is no longer available.`,
    "Choose another point in time.",
  );

/** More graphs are not written into a recording; of more operations some are passed over, in equal steps. */
const maxRecordedGraphs = 400;

/** Reads every graph of a run, for a recording that is to be shown where its repository is not. */
export async function readAllGraphs(
  repository: Source,
  recording: Recording,
  onProgress: (done: number, all: number) => void = () => undefined,
): Promise<RecordedGraphs> {
  const all = await operationsOf(repository, recording);
  const step = Math.max(1, Math.ceil(all.length / maxRecordedGraphs));
  const chosen = all.filter((_, at) => at % step === 0 || at === all.length - 1);
  const past = await graphsInRepository(repository, recording);
  const changes: Change[] = [];
  const places = new Map<string, number>();
  const graphs: RecordedGraph[] = [];
  let before = "";
  for (const [at, { id, time }] of chosen.entries()) {
    onProgress(at, chosen.length);
    const graph = await past.graphOf(id);
    const rows = graph.changes.map((change) => {
      const key = JSON.stringify(change);
      const known = places.get(key);
      if (known !== undefined) return known;
      places.set(key, changes.length);
      return changes.push(change) - 1;
    });
    const now = JSON.stringify([rows, graph.refs]);
    if (now !== before) graphs.push({ at: time, operation: id, rows, refs: graph.refs });
    before = now;
  }
  onProgress(chosen.length, chosen.length);
  return { changes, graphs };
}

/** Of the run's time and the one before it, the first first. */
async function operationsOf(repository: Source, recording: Recording): Promise<readonly Operation[]> {
  const end = lastTimeOf(recording);
  const operations: Operation[] = [];
  for (const operation of await repository.operations({ limit: maxOperations })) {
    if (operation.time > end) continue;
    operations.push(operation);
    if (operation.time < recording.startedAt) break;
  }
  return operations.reverse();
}

const lastTimeOf = ({ moments, endedAt, startedAt }: Recording): number =>
  Math.max(startedAt, endedAt ?? 0, moments.at(-1)?.at ?? 0);

/** A change that an event says to be the run's. */
function changeOf(event: RunEvent): string | null {
  switch (event.kind) {
    case "WorkerJoined":
      return event.record.changeId ?? null;
    case "ChangeAssigned":
    case "BaseCreated":
    case "IntegrationCreated":
    case "TrunkExtended":
      return event.changeId;
    case "DecisionApplied":
      return event.decision.changeId;
    case "BranchMoveStarted":
      return event.move.changeId;
    default:
      return null;
  }
}

/** What landed without Hox's lines is known by its change ids alone. */
function revsetOf({ run, moments }: Recording): string {
  const onto = new Set<string>();
  const own = new Set<string>();
  for (const { event } of moments) {
    if (event.kind === "BaseChosen" || event.kind === "BaseMoved") onto.add(event.onto.commitId);
    const id = changeOf(event);
    if (id) own.add(id);
  }
  const changes = [...own].filter((id) => /^[k-z]+$/u.test(id)).map((id) => `change_id(${id})`);
  const below = [...onto].filter((id) => /^[0-9a-f]+$/u.test(id)).map((commit) => `present(${commit})`);
  return [
    ofRun(run),
    ...changes,
    ...(below.length === 0 ? [] : [`ancestors(${below.join(" | ")}, ${historyShown})`]),
  ]
    .map((part) => `(${part})`)
    .join(" | ");
}

/** What points elsewhere is not the run's. */
function withoutOtherRefs(graph: GraphSnapshot): GraphSnapshot {
  const shown = new Set(graph.changes.map(({ commitId }) => commitId));
  const refs: Refs = {
    bookmarks: Object.fromEntries(
      Object.entries(graph.refs.bookmarks).filter(([, commits]) => commits.some((one) => shown.has(one))),
    ),
    workspaces: Object.fromEntries(
      Object.entries(graph.refs.workspaces).filter(([, commit]) => shown.has(commit)),
    ),
  };
  return { ...graph, refs };
}
