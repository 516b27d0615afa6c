/** How a run asks for places on other machines, and makes them ones in which checks can run. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { priorities } from "#shared/domain/change-metadata/metadata.ts";
import { holderOf } from "#shared/domain/places/place-holder.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { priorityOf } from "#shared/run/state.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { gitFolderOf } from "../../jj/process/op-heads.ts";
import type { ConnectedMachines } from "../../places/host/connected-machines.ts";
import type { RemotePlace } from "../../places/host/remote-place.ts";
import { makeObjectStore, startFrom, type TreeFolder } from "../../places/trees.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import { explain } from "../engine-errors.ts";
import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";
import { installedPackages } from "./installed-packages.ts";
import { environmentOf } from "./port-leases.ts";
import { packagePaths, runSetupCommands } from "./set-up-workspace.ts";
import type { CheckoutHandle } from "./workspace-interface.ts";

/** The label of the machines on which a run's agents work and its checks run; null: on the host. */
export const labelOf = (run: Pick<Run, "row" | "config">): string | null => {
  const label = run.row.input.on ?? run.config.workspace.workers;
  return label === "" ? null : label;
};

export const indexFolder = (run: Run): string => join(run.stateFolder, "places", run.id);

/** A folder of the host, as trees of it are made, and what is ignored besides. */
interface HostFolder {
  readonly local: TreeFolder;
  readonly exclude: string;
}

/** @param name of its index @param commit with which it began; null: it has none yet */
export async function hostFolder(
  run: Run,
  name: string,
  folder: string,
  commit: string | null,
): Promise<HostFolder> {
  const source = await gitFolderOf(run.repository.root);
  const exclude = readBoundedFileOrNull(join(source, "info", "exclude"), 1_000_000) ?? "";
  const store = await makeObjectStore(join(run.stateFolder, "places", "objects.git"), {
    alternate: join(source, "objects"),
    exclude,
  });
  const indexes = indexFolder(run);
  await mkdir(indexes, { recursive: true });
  const local = { ...store, folder, index: join(indexes, `${name.replaceAll("/", "_")}.index`) };
  // From what is recorded: files that are ignored now and were recorded before belong to it.
  if (commit !== null) await startFrom(local, commit);
  return { local, exclude };
}

/**
 * A place with the files of a folder of the host, or null: no machine has room.
 * @param holder who works there
 * @param files `tree`: that of the folder, where nothing changes it
 * @param agent of another make, which works there
 */
export function takePlace(
  run: Run,
  connected: ConnectedMachines,
  holder: string,
  files: HostFolder & { readonly tree?: string },
  agent: string | null = null,
): Promise<RemotePlace | null> {
  const label = labelOf(run);
  if (label === null) return Promise.resolve(null);
  const { root } = run.repository;
  return connected.take({
    ...files,
    ...{ repository: root, run: run.id, worker: holder, label, agent, root },
    failed: (machine: string, error: unknown) =>
      warn(
        run,
        `Worker ${machine} could not take ${holder}: ${explain(error).message}`,
        "The work continues elsewhere. See the worker's own output.",
      ),
    priority: priorities.indexOf(priorityOf(run.facts, holderOf(holder).worker) ?? "medium"),
    unreachable: (error) => {
      // Told instead of that none has room.
      if (run.once.isFirst(`no-worker/${label}`)) warn(run, error.message, error.remedy);
    },
    hosts: run.config.sandbox.hosts,
    protectedFiles: run.config.protectedFiles,
  });
}

/** Says once that the host does what workers should do. */
export function notifyNoWorker(run: Run): void {
  const label = labelOf(run);
  if (label === null || !run.once.isFirst(`no-worker/${label}`)) return;
  warn(
    run,
    `No worker with the label ${shownName(label)} has room: agents work and checks run on this machine.`,
    "See `hox workers`. Agents and checks that begin later use a worker as soon as one is there.",
  );
}

/**
 * Runs the repository's own commands and installations of the run there, or takes over what they have made of the same files on
 * that machine before. What the user's folder has of caches does not travel.
 *
 * @param runThere where a command runs
 * @param from a commit below: what they made of it may serve
 */
export async function setUpThere(
  run: Run,
  worker: string,
  remote: RemotePlace,
  runThere: CheckoutHandle["run"],
  signal: AbortSignal,
  from?: { readonly commit: string; readonly folder: string },
): Promise<void> {
  const { setup, setupHosts, caches } = run.config.workspace;
  const packages = installedPackages(run);
  const installations = packages?.commands ?? [];
  if (setup.length === 0 && installations.length === 0) return;
  const { sandbox, protectedFiles } = run.config;
  const ended = AbortSignal.any([signal, run.runEnded.signal]);
  const environment = environmentOf(run, worker);
  // Others have other ports.
  const isOwn = setup.some((command) => /PORT|HOX_/u.test(command));
  const work = async (): Promise<boolean> => {
    let isSound = true;
    await runSetupCommands({
      ...{ config: run.config, environment, signal: ended, run: runThere, installations },
      show: (activity) => run.setActivity(worker, "tools", activity),
      failed(what, detail) {
        isSound = false;
        run.appendTranscript(worker, { kind: "notice", text: `${what}\n${detail}` });
      },
    });
    return isSound && !ended.aborted;
  };
  const tree = from === undefined ? null : await run.repository.treeOf(from.commit);
  const seed = from && tree && { tree, folders: await packagePaths(from.folder, caches) };
  const what = [setup, setupHosts, sandbox, protectedFiles, packages?.id, isOwn ? environment : null];
  await remote.setUp(what, work, seed || undefined);
}

/** The checks' files are the host's; their commands run in a place. */
export const checkSandbox = (isolation: Sandbox["isolation"], run: CheckoutHandle["run"]): Sandbox => ({
  isolation,
  run: ({ workspace: _, ...command }) => run(command),
  start: notAway,
  adopt: notAway,
});

const notAway = async (): Promise<never> => {
  throw new Error("Checks start no program that stays.");
};
