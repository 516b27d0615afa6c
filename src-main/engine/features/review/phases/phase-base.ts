/** A phase's result: all that is done so far, merged. */
import type { Change } from "#shared/graph/change.ts";
import { holdsOther, type Judged } from "../../../graph-sync/while-unmoved.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { workerOnTask } from "../../../workers/hierarchy.ts";

/** All finished work of a phase, based on the last merged agent's. */
export interface PhaseWork {
  readonly worker: string;
  readonly changeId: string;
  /** Parents that its change needs to contain all of it; empty if it does already. */
  readonly onto: readonly string[];
  /** Contains all of it; not on the graph if there are several heads. */
  readonly commitId: string;
  /** Files in which the work of one meets that of another. */
  readonly conflicts: readonly string[];
  /** Commits of the changes that are not ancestors of the others. */
  readonly heads: readonly string[];
}

const doneChanges = (run: RunReader, orchestrator: string): readonly string[] =>
  run
    .stateOf(orchestrator)
    .tasks.filter(({ state }) => state === "done")
    .flatMap(({ task }) => workerOnTask(run, orchestrator, task)?.changeId ?? []);

/** Null where nothing is done. */
async function headsOfDone(run: Run, orchestrator: string): Promise<readonly Change[] | null> {
  await run.refreshChanges();
  const done = doneChanges(run, orchestrator);
  return done.length === 0 ? null : run.repository.headsOf(done);
}

/** Null if nothing is done, or a change has a conflict, which is left to the integration. */
export async function combinedPhaseWork(run: Run, orchestrator: string): Promise<PhaseWork | null> {
  const heads = await headsOfDone(run, orchestrator);
  return heads && togetherOf(run, orchestrator, heads);
}

async function togetherOf(
  run: Run,
  orchestrator: string,
  heads: readonly Change[],
): Promise<PhaseWork | null> {
  const { trunk } = run.orchestratorFacts(orchestrator);
  const last = heads.toSorted((a, b) => trunk.indexOf(b.changeId) - trunk.indexOf(a.changeId))[0];
  const worker = [...run.workers.values()].find(({ record }) => record.changeId === last?.changeId)?.record;
  if (last === undefined || worker === undefined) return null;
  const ids = heads.map(({ changeId }) => changeId);
  if (heads.some(({ conflict }) => conflict)) return null;
  const of = { worker: worker.name, changeId: last.changeId, heads: commitsOf(heads) };
  if (heads.length === 1) return { ...of, onto: [], commitId: last.commitId, conflicts: [] };
  const trial = await run.repository.trialMerge(ids);
  const conflicts = [...new Set(trial.map(({ path }) => path))];
  // The same after a restart, so that votes on it still count.
  const commitId = await run.step(`phase/together/${of.heads.join("/")}`, async () => {
    const merged = await run.repository.hiddenMerge({
      ...{ changes: ids, description: `Work of ${orchestrator} so far` },
      actor: orchestrator,
    });
    return merged.commitId;
  });
  const below = await run.repository.parentsOf(last.changeId);
  const onto = await run.repository.headsOf([
    ...below.map(({ commitId }) => commitId),
    ...ids.filter((changeId) => changeId !== last.changeId),
  ]);
  return { ...of, onto: onto.map(({ changeId }) => changeId), commitId, conflicts };
}

const commitsOf = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ commitId }) => commitId).toSorted();

/** The phase's work as last read, for waiting until it changes. Reads nothing. */
export const workRead = (run: RunReader, orchestrator: string): string =>
  doneChanges(run, orchestrator)
    .map((changeId) => run.changes.get(changeId)?.commitId)
    .join(" ");

/** The ground of a phase, while it is judged. */
export const judgedPhaseWork = (run: Run, orchestrator: string, { heads, commitId }: PhaseWork): Judged => ({
  lastRead: () => workRead(run, orchestrator),
  holdsOther: async () => {
    const now = await headsOfDone(run, orchestrator);
    if (now === null) return true;
    if (commitsOf(now).join() === heads.join()) return false;
    return holdsOtherWork(run, orchestrator, commitId, now);
  },
});

/** Whether what is done holds other files than a commit that was judged. Looked up. */
export async function holdsOtherWork(
  run: Run,
  orchestrator: string,
  judged: string,
  heads?: readonly Change[],
): Promise<boolean> {
  const now = heads ?? (await headsOfDone(run, orchestrator));
  const phaseWork = now && (await togetherOf(run, orchestrator, now));
  return phaseWork === null || (phaseWork.commitId !== judged && holdsOther(run, phaseWork.commitId, judged));
}
