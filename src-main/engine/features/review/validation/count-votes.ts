import type { SeatView } from "#shared/contract/views/validation.ts";
import { type OwnWork, votesOnOwnWork } from "#shared/domain/metrics/own-votes.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Run, RunGraph, RunReader } from "../../../ports.ts";

/** Counts votes on the result for those whose work they are about; whose files they name is asked where one rejects. */
export async function countVotes(run: Run, seats: readonly SeatView[]): Promise<void> {
  const votes = seats
    .filter(({ counted, vote }) => counted && (vote === "approve" || vote === "reject"))
    .map(({ vote, reason }) => ({ approves: vote === "approve", reason }));
  const isRejected = votes.some(({ approves }) => !approves);
  const makers = [...run.workers.values()]
    .map(({ record }) => record)
    .filter(
      ({ role, status, replacedBy }) =>
        roles[role].hasIterations && status !== "abandoned" && replacedBy === null,
    );
  const work = await Promise.all(makers.map((record) => ownWork(run, record, isRejected)));
  for (const { worker, passed, failed } of votesOnOwnWork(votes, work)) {
    for (let nth = 0; nth < passed; nth++) run.metrics.vote(worker, true);
    for (let nth = 0; nth < failed; nth++) run.metrics.vote(worker, false);
  }
}

async function ownWork(
  run: RunReader & RunGraph,
  { name, role, title, changeId, checks }: WorkerRecord,
  withFiles: boolean,
): Promise<OwnWork> {
  const commit = changeId === null ? undefined : run.changes.get(changeId)?.commitId;
  const isWhole = roles[role].canIntegrate;
  const files =
    withFiles && commit !== undefined && !isWhole ? await run.repository.changedFiles(commit) : [];
  return {
    worker: name,
    isWhole,
    title,
    changeId,
    files: files.map(({ path }) => path),
    faults: [
      ...checks.filter(isBlocking).flatMap((check) => [check.name, check.command]),
      ...run.facts.decisions
        .filter(({ contradicted }) => contradicted.includes(name))
        .map((one) => one.title),
    ],
  };
}
