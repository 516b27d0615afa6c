/** The run of a repository in the hands of a terminal: through the door of the host that works on it, else directly. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createORPCClient, ORPCError } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import type { ContractRouterClient } from "@orpc/contract";
import type { InboxItem } from "#shared/contract/cards.ts";
import { type DoorContract, type DoorNote, doorFile, doorPath } from "#shared/contract/door.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import { lockRepository } from "../api/repository-lock.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import type { Engine } from "../engine/engine-interface.ts";
import { CommandError, type CommonOptions, exitCode } from "./command-line.ts";
import { openQuietly } from "./quiet-engine.ts";
import { withRepository } from "./repository.ts";

/** What a person may do to a run from a terminal. The same calls whether a host works on it or not. */
export type Helm = Pick<
  Engine,
  | "pause"
  | "resume"
  | "stop"
  | "setLimits"
  | "answer"
  | "pauseWorker"
  | "resumeWorker"
  | "retryWorker"
  | "messageWorker"
  | "reassignWorker"
  | "takeOver"
  | "lookAtHands"
  | "giveBack"
  | "finishByHand"
  | "setWorkerLimits"
  | "previewUndo"
  | "undoWorker"
  | "amendPlan"
  | "previewUndoLanding"
  | "undoLanding"
> & {
  state(): Promise<{ readonly run: RunView | null; readonly inbox: readonly InboxItem[] }>;
  /** A host works on the repository: what is said is done at once. Else it is kept for the next `hox run`. */
  readonly live: boolean;
};

/** Takes the helm of the repository of `--repo` for one command. */
export function withHelm<T>(options: CommonOptions, task: (helm: Helm) => Promise<T>): Promise<T> {
  return withRepository(options, async (repository) => {
    const stateFolder = repositoryStateFolder(defaultStateFolder(), repository.root);
    const answer = lockRepository(stateFolder);
    if (!answer.held) return task(await throughDoor(stateFolder, answer.by));
    try {
      return await openQuietly(repository, stateFolder, (engine) =>
        task({ ...engine, live: false, state: async () => engine.state() }),
      );
    } finally {
      answer.lock.release();
    }
  });
}

/** The worker of a name, or an error that names the nearest one. */
export function workerNamed(run: RunView | null, name: string): WorkerView {
  const found = run?.workers.find((worker) => worker.name === name);
  if (found) return found;
  if (!run) throw new CommandError("There is no run here.", 'Start one: hox run --goal "…"');
  const names = run.workers.filter((worker) => worker.replacedBy === null).map((worker) => worker.name);
  const near = nearestWord(name, names);
  throw new CommandError(
    `Nobody in this run is called ${name}.`,
    `${near ? `Did you mean ${near}? ` : ""}There is: ${names.join(", ") || "nobody yet"}.`,
    exitCode.usage,
  );
}

async function throughDoor(stateFolder: string, by: string): Promise<Helm> {
  const note = await doorNote(stateFolder);
  if (!note)
    throw new CommandError(
      `Another Hox works on this repository (${by}), and its door is shut.`,
      "It may just be starting or ending: try again. An older Hox has no door: steer in its window.",
    );
  const link = new RPCLink({
    url: `http://127.0.0.1:${note.port}${doorPath}`,
    headers: () => ({ authorization: `Bearer ${note.secret}` }),
  });
  const { run, plan, inbox } = createORPCClient<ContractRouterClient<DoorContract>>(link);
  /** What the host refuses comes with its remedy; a host that ended meanwhile is said in words. */
  const said = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      if (error instanceof ORPCError) {
        const { remedy } = (error.data ?? {}) as { readonly remedy?: unknown };
        throw new CommandError(error.message, typeof remedy === "string" ? remedy : null);
      }
      throw new CommandError(
        `The Hox that works on this repository (${by}) does not answer: ${(error as Error).message}`,
        "It may just have ended: try again.",
      );
    }
  };
  return {
    live: true,
    state: () => said(run.state()),
    pause: () => said(run.pause()),
    resume: () => said(run.resume()),
    stop: () => said(run.stop()),
    setLimits: (limits) => said(run.setLimits(limits)),
    answer: (answer) => said(inbox.answer(answer)),
    pauseWorker: (worker) => said(run.pauseWorker({ worker })),
    resumeWorker: (worker) => said(run.resumeWorker({ worker })),
    retryWorker: (worker) => said(run.retryWorker({ worker })),
    messageWorker: (worker, text) => said(run.messageWorker({ worker, text })),
    reassignWorker: (input) => said(run.reassignWorker(input)),
    takeOver: (worker) => said(run.takeOver({ worker })),
    lookAtHands: (worker) => said(run.lookAtHands({ worker })),
    giveBack: (worker, words) => said(run.giveBack({ worker, words })),
    finishByHand: (worker, summary) => said(run.finishByHand({ worker, summary })),
    setWorkerLimits: (limits) => said(run.setWorkerLimits(limits)),
    previewUndo: (worker) => said(run.previewUndo({ worker })),
    undoWorker: (input) => said(run.undoWorker(input)),
    previewUndoLanding: () => said(run.previewUndoLanding()),
    undoLanding: () => said(run.undoLanding()),
    amendPlan: ({ orchestrator, edits }) => said(plan.amend({ orchestrator, edits: [...edits] })),
  };
}

async function doorNote(stateFolder: string): Promise<DoorNote | null> {
  try {
    return JSON.parse(await readFile(join(stateFolder, doorFile), "utf8")) as DoorNote;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
