/** The runs of a repository, as a list of them has room for each: read from its journal alone. */

import type { RunOperations } from "#shared/contract/commands/replay.ts";
import type { RunListEntry } from "#shared/contract/views/run.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import { endOf, stageOf } from "#shared/domain/run/stage-state.ts";
import { addSpent, nothingSpent, totalTokens } from "#shared/domain/spending/usage.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo, type WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Operation } from "#shared/graph/change.ts";
import { failedValidations, type RecordedEvent } from "#shared/run/events.ts";
import { replayRun } from "#shared/run/reduce.ts";
import { newRun, type RunState } from "#shared/run/state.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import type { JournalReader } from "../journal/read-journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import { readMoments } from "./recording.ts";

type Source = Pick<JournalReader, "runs" | "events" | "lastMoment" | "spending" | "cards">;

/** A finished run's result rarely changes, e.g. when its landing is undone: each is read once until then. */
export function createRunLists(): (key: string, journal: Source, most: number) => readonly RunListEntry[] {
  const known = new Map<string, { readonly last: number; readonly entry: RunListEntry }>();
  return (key, journal, most) =>
    journal
      .runs()
      .slice(0, most)
      .map((row) => {
        const name = `${key} ${row.id} ${row.stage} ${row.endedAt}`;
        const last = journal.lastMoment(row.id);
        const before = known.get(name);
        if (before?.last === last) return before.entry;
        const entry = runListEntry(journal, row);
        if (row.endedAt !== null) known.set(name, { last, entry });
        return entry;
      });
}

function runListEntry(journal: Source, row: RecordedRunRow): RunListEntry {
  const moments = readMoments(journal, row.id);
  const facts = replayRun(newRun(row.id, row.startedAt, row.input.root), moments);
  const spent = journal.spending(row.id).reduce((sum, one) => addSpent(sum, one.spent), nothingSpent);
  const { landed } = facts.landing;
  return {
    id: row.id,
    goal: row.input.goal,
    stage: row.stage,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    microDollars: spent.microDollars,
    model: row.input.model,
    rehearsal: row.input.rehearsal,
    isQuick: row.input.isQuick,
    ...(row.input.isWatch ? { isWatch: true as const } : {}),
    endedBy: endOf(stageOf(facts.stages, row.input.root)),
    landed: landed && { bookmark: landed.bookmark, isTakenBack: landed.undoneAt !== null },
    ...tasksOf(facts),
    tokens: totalTokens(spent.usage),
    workedMs: facts.metrics.reduce((sum, { msByPhase }) => sum + workedMs(msByPhase), 0),
    conflicts: facts.metrics.reduce((sum, { conflictsMet }) => sum + conflictsMet, 0),
    questions: facts.metrics.reduce((sum, { alignRequests }) => sum + alignRequests, 0),
    repairRounds: failedValidations(moments),
    reworkedTasks: reworkedTasks(Object.values(facts.workers), moments),
    score: facts.score?.total ?? null,
    waiting:
      row.endedAt === null ? journal.cards(row.id).filter(({ answeredAt }) => answeredAt === null).length : 0,
  };
}

/** How many tasks were sent back, restarted or reassigned. */
export function reworkedTasks(
  workers: readonly Pick<WorkerRecord, "name" | "role" | "replaces" | "mergeRequest">[],
  moments: readonly RecordedEvent[],
): number {
  const restarted = new Set(
    moments.flatMap(({ event }) =>
      event.kind === "WorkReset" || event.kind === "WorkUndone" ? [event.worker] : [],
    ),
  );
  return workers.filter(
    ({ name, role, replaces, mergeRequest }) =>
      roles[role].canWriteTask &&
      (replaces !== null ||
        restarted.has(name) ||
        (mergeRequest?.reviews.some(({ verdict }) => verdict === "changes") ?? false)),
  ).length;
}

function tasksOf(facts: RunState): Pick<RunListEntry, "agents" | "tasks" | "tasksDone"> {
  const workers = Object.values(facts.workers);
  const agents = workers.filter(({ role }) => roles[role].canWriteTask);
  // A delegated task is one of its plan as well as what its part made of it.
  const delegated = workers.filter(({ role, task }) => roles[role].isLead && task !== null);
  const planned = Object.values(facts.orchestrators).flatMap(({ plan }) => plan?.tasks ?? []);
  return {
    agents: agents.map(({ name }) => name),
    tasks: Math.max(planned.length, agents.filter((agent) => reassignedTo(agent) === null).length),
    tasksDone: [...agents, ...delegated].filter(({ status }) => status === "done").length,
  };
}

type RunOperationsSource = Pick<Repository, "operations" | "commitsOf">;

/** More are not drawn: the newest stay. */
const maxOperations = 20_000;
const firstRead = 500;
const maxTitles = 2_000;

/**
 * What jj did in the time of a run, with the titles of the commits that its own words name by their ids.
 *
 * @param to null: still active
 */
export async function operationsOfTime(
  repository: RunOperationsSource,
  from: number,
  to: number | null,
): Promise<RunOperations> {
  let limit = firstRead;
  let read = await repository.operations({ limit });
  // A log may be far longer than a run.
  while (read.length === limit && limit < maxOperations && (read.at(-1)?.time ?? 0) >= from) {
    limit = Math.min(maxOperations, limit * 4);
    read = await repository.operations({ limit });
  }
  const operations = read
    .filter(({ time, parents }) => time >= from && (to === null || time <= to) && parents.length > 0)
    .toReversed();
  return { operations, titles: await titlesOf(repository, operations) };
}

const commitIds = /\b[0-9a-f]{40}\b/gu;

async function titlesOf(
  repository: RunOperationsSource,
  operations: readonly Operation[],
): Promise<RunOperations["titles"]> {
  const named = new Set<string>();
  for (const { description } of operations.toReversed())
    for (const [id] of description.matchAll(commitIds)) if (named.size < maxTitles) named.add(id);
  const commits = await repository.commitsOf([...named]);
  return Object.fromEntries(
    commits.map(({ commitId, description }) => [commitId, parseDescription(description).subject]),
  );
}
