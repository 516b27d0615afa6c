/** Recorded runs that clients replay. Kept in memory only. */
import { randomUUID } from "node:crypto";
import type {
  ExportedRun,
  MomentDifference,
  ReplayFrame,
  ReplayView,
} from "#shared/contract/commands/replay.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { GraphSnapshot } from "#shared/graph/change.ts";
import type { RecordedEvent } from "#shared/run/events.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { type ComparedMoment, compareMoments, filesBetween } from "../replay/compare-moments.ts";
import { exportRecording } from "../replay/export-recording.ts";
import { openRecording, openRecordingFile } from "../replay/open-recording-file.ts";
import { graphsInRepository, type PastGraphs, recordedGraphs } from "../replay/past-graphs.ts";
import { recordingEnding } from "../replay/recording.ts";
import { createReplay, densityOf, type Replay } from "../replay/replay.ts";
import { Refusal } from "./refusal.ts";

/** Parts of a replay's time for which the density is reported. */
const densityParts = 240;
/** Of one person. The one that was asked for longest ago makes way for another. */
const maxOpenReplays = 8;

/** The repository that is open, and where its journal is. */
export interface ReplaySource {
  readonly repository: Repository;
  readonly stateFolder: string;
  readonly secrets: readonly string[];
  readonly version: string;
}

interface OpenReplay {
  /** Who opened it; undefined: the user who started the host. */
  readonly person: string | undefined;
  readonly replay: Replay;
  readonly graphs: PastGraphs;
  /** Operations whose graphs were sent to its window. */
  readonly sentGraphs: Set<string>;
  /** Null for a recording from a file. */
  readonly repository: Repository | null;
}

/** @param maySee whether a person may look at a repository: a replay of it is closed to who may not any more */
export function createReplays(maySee: (person: string, root: string) => boolean = () => true) {
  const all = new Map<string, OpenReplay>();
  const found = (id: string, person: string | undefined): OpenReplay => {
    const one = all.get(id);
    const root = one?.repository?.root;
    const isHidden = person !== undefined && root !== undefined && !maySee(person, root);
    if (!one || one.person !== person || isHidden)
      throw new Refusal("This replay is no longer open.", "Open the recorded run again.");
    all.delete(id);
    all.set(id, one);
    return one;
  };
  const keep = (one: OpenReplay, file: string | null): ReplayView => {
    const id = randomUUID();
    all.set(id, one);
    const own = [...all].filter(([, { person }]) => person === one.person);
    const [oldest] = own;
    if (own.length > maxOpenReplays && oldest) all.delete(oldest[0]);
    return viewOf(id, one.replay, file);
  };

  return {
    async open({ repository, stateFolder }: ReplaySource, run: string, person?: string): Promise<ReplayView> {
      const replay = createReplay(openRecording(stateFolder, run));
      const graphs = await graphsInRepository(repository, replay.recording);
      return keep({ replay, graphs, sentGraphs: new Set(), repository, person }, null);
    },
    async openFile(name: string, content: Uint8Array, person?: string): Promise<ReplayView> {
      const replay = createReplay(await openRecordingFile(content));
      const graphs = recordedGraphs(replay.recording.graphs);
      return keep({ replay, graphs, sentGraphs: new Set(), repository: null, person }, name);
    },
    events: (id: string, person?: string): readonly RecordedEvent[] =>
      found(id, person).replay.recording.moments,
    async frame(id: string, at: number, person?: string): Promise<ReplayFrame> {
      const { replay, graphs, sentGraphs } = found(id, person);
      const graph = await graphAt(graphs, at);
      const { run, inbox } = replay.momentAt(at, graph?.changes ?? []);
      const isNew = graph !== null && !sentGraphs.has(graph.operation);
      if (isNew) sentGraphs.add(graph.operation);
      return {
        at,
        count: run.count,
        live: run.live,
        spendingHistory: run.spendingHistory,
        inbox,
        operation: graph?.operation ?? null,
        graph: isNew ? graph : null,
      };
    },
    async compare(id: string, from: number, to: number, person?: string): Promise<MomentDifference> {
      const { replay, graphs, repository } = found(id, person);
      const moment = async (at: number): Promise<ComparedMoment> => {
        const changes = (await graphAt(graphs, at))?.changes ?? [];
        return { at, changes, run: replay.viewsAt(at, changes).run };
      };
      const [before, after] = [await moment(Math.min(from, to)), await moment(Math.max(from, to))];
      const difference = compareMoments(replay.recording.run, before, after);
      const files = repository && (await filesBetween(repository, difference.changes));
      return { ...difference, files };
    },
    graph: (id: string, operation: string, person?: string): Promise<GraphSnapshot> =>
      found(id, person).graphs.graphOf(operation),
    conversation(id: string, worker: string, person?: string): readonly ConversationRow[] {
      const { conversations } = found(id, person).replay.recording;
      return Object.hasOwn(conversations, worker) ? (conversations[worker] ?? []) : [];
    },
    close(id: string, person?: string): void {
      if (all.get(id)?.person === person) all.delete(id);
    },
  };
}

/** Null if the operation is gone. */
async function graphAt(graphs: PastGraphs, at: number): Promise<GraphSnapshot | null> {
  const operation = graphs.operationAt(at);
  return operation === null ? null : graphs.graphOf(operation).catch(() => null);
}

function viewOf(id: string, replay: Replay, file: string | null): ReplayView {
  const { recording, from, to, moments, breaks } = replay;
  const { run, startedAt, stage, input } = recording;
  const { goal, root, model, rehearsal } = input;
  return {
    ...{ id, run, goal, root, startedAt, model, rehearsal, stage, file, from, to, moments, breaks },
    density: densityOf(replay, densityParts),
  };
}

/** A run as a file for another machine, and how it may be called. */
export async function exportedRun(
  { repository, stateFolder, secrets, version }: ReplaySource,
  run: string,
): Promise<ExportedRun> {
  const recording = openRecording(stateFolder, run);
  const about = { repository, stateFolder, secrets, writtenBy: version };
  const file = await exportRecording(recording, about);
  const day = new Date(recording.startedAt).toISOString().slice(0, 10);
  const name = `${repository.name}-${day}${recordingEnding}`;
  return { name, content: file.toString("base64") };
}
