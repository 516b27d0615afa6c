/**
 * A status that a person writes into a task's change, from the graph, the inspector, `hox describe --set-status` or jj
 * itself, is a command to the run: it is carried out or refused by name, and the change says again how it stands.
 */
import type { Status } from "#shared/domain/metadata.ts";
import { commandOf, type StatusCommand } from "#shared/domain/status-by-hand.ts";
import { hold, isByHand, isHeld, release } from "../agents/hold-worker.ts";
import { EngineRefusal, explain } from "../engine-errors.ts";
import { foldOf } from "../folds/fold.ts";
import { parentOf } from "../orchestrators/chain-of-command.ts";
import { amendPlan } from "../planning/plan-editing.ts";
import type { WorkerRecord } from "../run/records.ts";
import type { Run } from "../run/run.ts";
import { readChange } from "../run/run-changes.ts";
import { finishByHand, giveBack, takeOver } from "./take-over.ts";
import { tryAgain } from "./try-again.ts";

/** What was said of a worker's task: on the screen, or "graph" where it stands in its change. */
type Said = Status | "graph";
const spoken = new WeakMap<Run, ReadonlyMap<string, Said>>();
const saidIn = (run: Run): ReadonlyMap<string, Said> => spoken.get(run) ?? new Map();

/** Workers whose task says something that the run has not heard out yet. */
export const statusesSpoken = (run: Run): readonly string[] => [...saidIn(run).keys()];

/**
 * A status said on the screen. It is heard out like one on the graph, but never written there first, where an agent that
 * just ends its iteration might write over it. Refuses what cannot be.
 *
 * @returns false where no worker of the run has this change as its task: then it is a word like any other
 */
export function sayStatus(run: Run, changeId: string, status: Status): boolean {
  const record = [...run.workers.values()].find(
    (one) => one.record.task !== null && one.record.changeId === changeId,
  )?.record;
  if (!record) return false;
  const meant = command(run, record, status);
  if (meant.kind === "refused") throw new EngineRefusal(meant.reason, meant.remedy);
  if (meant.kind === "none" && status !== record.status)
    throw new EngineRefusal(
      `“${record.title}” cannot be marked so: the run says itself when a task goes on or is reviewed.`,
      "Mark it as blocked, open, done or abandoned, or steer its agent.",
    );
  spoken.set(run, new Map([...saidIn(run), [record.name, status]]));
  run.pump();
  return true;
}

/**
 * Looks at what stands in the changes as they were just read. What was there before says nothing: the run moves on while
 * its last word still stands on the graph.
 */
export function readStatusesByHand(run: Run): void {
  const said = new Map([...saidIn(run)].filter(([, what]) => what !== "graph"));
  for (const { record } of run.workers.values()) {
    if (record.task === null || record.changeId === null) continue;
    const change = run.changes.get(record.changeId);
    if (!change || change.divergent) continue;
    const { status } = change.metadata;
    if (status === record.seen) continue;
    if (record.seen !== undefined && command(run, record, status).kind !== "none") {
      if (!said.has(record.name)) said.set(record.name, "graph");
    } else run.update(record.name, { seen: status });
  }
  spoken.set(run, said);
  if (said.size > 0) run.pump();
}

const command = (run: Run, record: WorkerRecord, written: Status | undefined): StatusCommand =>
  commandOf(written, {
    title: record.title,
    worker: record.name,
    delegated: record.role === "orchestrator",
    status: record.status,
    held: isHeld(run, record.name),
    byHand: isByHand(run, record.name),
    inTrouble: run.inbox.items().some((item) => item.kind === "trouble" && item.worker === record.name),
    accepted: ["approved", "merged"].includes(foldOf(run, record.name).state.stage),
  });

/** Carries out what a task's status says. */
export async function obeyStatus(run: Run, name: string): Promise<void> {
  const said = saidIn(run).get(name) ?? "graph";
  spoken.set(run, new Map([...saidIn(run)].filter(([one]) => one !== name)));
  try {
    const meant = await hearOut(run, name, said);
    if (meant.kind === "refused") tell(run, meant.reason, meant.remedy);
    else await carryOut(run, name, meant);
  } catch (error) {
    if (run.ending.signal.aborted) return;
    const { message, remedy } = explain(error);
    tell(run, message, remedy);
    await run.barrier
      .apart(name, () => sayAgain(run, name))
      .catch((failure: unknown) =>
        tell(run, `The status of ${name} stays as it was written: ${explain(failure).message}`, null),
      );
  }
}

/** With its agent at the turn boundary no write of ours is under way: what differs now, a person wrote. */
const hearOut = (run: Run, name: string, said: Said): Promise<StatusCommand> =>
  run.barrier.apart(
    name,
    async () => {
      if (run.ending.signal.aborted) return { kind: "none" };
      const { record } = run.worker(name);
      const { metadata } = await readChange(run, record.changeId ?? "");
      const meant = command(run, record, said === "graph" ? metadata.status : said);
      run.journal.together(() => {
        run.update(name, { seen: metadata.status });
        if (meant.kind === "go-on") run.update(name, { status: "open" });
        if (meant.kind !== "hold") return;
        hold(run, name);
        if (record.status !== "review") run.update(name, { status: "blocked" });
      });
      if (meant.kind === "refused" || meant.kind === "hold" || meant.kind === "go-on")
        await sayAgain(run, name);
      return meant;
    },
    "a person changed its status",
  );

/** The change says how its task stands, where that is not what was written. Nobody may be at work on it. */
async function sayAgain(run: Run, name: string): Promise<void> {
  const { changeId, status } = run.worker(name).record;
  if (changeId === null || status === "abandoned") return;
  const { metadata } = await readChange(run, changeId);
  if (metadata.status === status) return;
  await run.repository.setMetadata([{ change: changeId, patch: { status } }], { actor: "hox" });
  run.update(name, { seen: status });
}

async function carryOut(run: Run, name: string, { kind }: StatusCommand): Promise<void> {
  const { task, title } = run.worker(name).record;
  switch (kind) {
    case "remove":
      if (task !== null) await amendPlan(run, parentOf(run, name), [{ kind: "remove", task }]);
      return;
    case "finish":
      return finish(run, name, title);
    case "hold":
      run.record(name, { kind: "notice", text: "A person marked the task as blocked: its agent waits." });
      return;
    case "go-on":
      run.record(name, { kind: "notice", text: "A person marked the task as open: its agent goes on." });
      await tryAgain(run, name);
      release(run, name);
      return;
    case "none":
    case "refused":
      return;
    default:
      kind satisfies never;
  }
}

/** The same way that a person's own work goes; what does not pass its checks is the agent's again. */
async function finish(run: Run, name: string, title: string): Promise<void> {
  const [inHand, held] = [isByHand(run, name), isHeld(run, name)];
  await takeOver(run, name);
  const backAgain = async (): Promise<void> => {
    if (inHand || !isByHand(run, name)) return;
    await giveBack(run, name, "");
    if (held) hold(run, name);
  };
  try {
    const { done, checks } = await finishByHand(run, name, "A person marked the task as done.");
    if (done) {
      await tryAgain(run, name);
      return;
    }
    const failed = checks.filter(({ outcome }) => outcome !== "passed").map((check) => check.name);
    tell(
      run,
      `“${title}” cannot count as done: ${failed.join(", ")} failed.`,
      inHand ? "Repair it, then say again that it is done." : `${name} goes on with it, or take it over.`,
    );
  } finally {
    await backAgain();
  }
}

const tell = (run: Run, text: string, remedy: string | null): void =>
  run.emit({ kind: "notice", level: "warning", text, remedy });
