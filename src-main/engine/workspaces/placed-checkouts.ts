/**
 * Fresh checkouts whose commands run on other machines. The host keeps the files of the commit: with them a lost place is made
 * again elsewhere, and on the host where no machine has room.
 */
import { checkoutHolder } from "#shared/domain/places/place-holder.ts";
import { createCheckRunner } from "../../checks/check-runner.ts";
import type { ConnectedMachines } from "../../places/host/connected-machines.ts";
import { MachineGone } from "../../places/host/machine-link.ts";
import type { RemotePlace } from "../../places/host/remote-place.ts";
import { treeOfFiles } from "../../places/trees.ts";
import { type FileAccess, type PlacedCommand, ToolFailure } from "../../tools/tool-interface.ts";
import { explain } from "../engine-errors.ts";
import type { Run } from "../ports.ts";
import { type FolderCheckout, freshCheckouts } from "./checkout.ts";
import { folderOf, localCheckout } from "./local-checkout.ts";
import { checkSandbox, hostFolder, notifyNoWorker, setUpThere, takePlace } from "./place-requests.ts";
import { setUpWorkspace } from "./set-up-workspace.ts";
import type { CheckoutHandle, Checkouts, FileRules, FreshCheckout } from "./workspace-interface.ts";

/** A checkout that has lost its place so often is on the host: what runs in it may be the reason. */
const maxLosses = 2;

/** What was run is void: its machine is gone or cannot run it, and the checkout is fresh elsewhere. */
class PlaceLost extends Error {
  override readonly name = "PlaceLost";
}

interface PlacedOptions {
  readonly signal: AbortSignal;
  readonly setUpFor: { readonly worker: string; readonly signal: AbortSignal };
}

/** @param options `setUpFor`: the worker for which the checks run, in whose conversation the user reads where */
export async function placedCheckouts(
  run: Run,
  connected: ConnectedMachines,
  commit: string,
  { signal, setUpFor }: PlacedOptions,
): Promise<Checkouts> {
  const { worker } = setUpFor;
  const places = await freshCheckouts(run, commit, {
    signal,
    prepare: (folder) => setUpWorkspace(run, worker, folder, setUpFor.signal),
  });
  const files = await hostFolder(run, `checkout-${commit}`, places.files, commit);
  // Before anything is set up in the folder.
  const tree = await treeOfFiles(files.local);
  const [below] = await run.repository.parentsOf(commit);
  const from = below && { commit: below.commitId, folder: places.files };
  const opened = new Set<FreshCheckout>();
  return {
    async checkout() {
      const holder = checkoutHolder(worker, run.newId());
      const checkout = openCheckout(run, connected, {
        ...{ holder, worker, commit, from, files: places.files, signal: setUpFor.signal },
        take: () => takePlace(run, connected, holder, { ...files, tree }),
        copy: places.checkout,
      });
      opened.add(checkout);
      return checkout;
    },
    async remove() {
      for (const checkout of opened) await checkout.remove();
      await places.remove();
    },
  };
}

interface CheckoutParts {
  readonly holder: string;
  readonly worker: string;
  readonly commit: string;
  /** The host's folder with the files of the commit. */
  readonly files: string;
  /** What set-up commands made of the commit below may serve. */
  readonly from: { readonly commit: string; readonly folder: string } | undefined;
  readonly signal: AbortSignal;
  readonly take: () => Promise<RemotePlace | null>;
  /** A checkout on the host. */
  readonly copy: () => Promise<FolderCheckout>;
}

/** Where the checkout is now. */
interface Spot extends Pick<CheckoutHandle, "files" | "run"> {
  readonly remote: RemotePlace | null;
  readonly folder: string;
  readonly local: CheckoutHandle | null;
}

function openCheckout(run: Run, connected: ConnectedMachines, parts: CheckoutParts): FreshCheckout {
  const { holder, worker, files, signal } = parts;
  const owner = { repository: run.repository.root, run: run.id, worker: holder };
  const notice = (text: string): void => run.appendTranscript(worker, { kind: "notice", text });
  let losses = 0;
  let copy: FolderCheckout | null = null;

  const onHost = async (): Promise<Spot> => {
    copy ??= await parts.copy();
    const local = localCheckout(run, copy.folder);
    return { remote: null, folder: copy.folder, local, files: local.files, run: local.run };
  };
  const settle = async (): Promise<Spot> => {
    const remote = losses < maxLosses ? await parts.take() : null;
    if (remote === null) {
      if (losses === 0) notifyNoWorker(run);
      return onHost();
    }
    try {
      await remote.showInGit(parts.commit, true);
      await setUpThere(run, worker, remote, remote.run, signal, parts.from);
    } catch (error) {
      return leave(remote, lossOf(remote, error));
    }
    return {
      ...{ remote, folder: remote.location, local: null, run: remote.run },
      files: ({ overrides: _, ...rules }: FileRules = {}) =>
        remote.files({ protectedFiles: run.config.protectedFiles, ...rules }),
    };
  };
  const leave = async (from: RemotePlace, why: string, isForGood = false): Promise<Spot> => {
    losses = isForGood ? maxLosses : losses + 1;
    // Whatever it still sends does not count from here on.
    await connected.release(owner);
    const next = await settle();
    const where = next.remote === null ? "on this machine" : `on worker ${next.remote.machine}`;
    notice(
      `${why} What ran in a fresh checkout on worker ${from.machine} does not count and runs again ${where}.`,
    );
    return next;
  };
  let at: Promise<Spot> | null = null;
  const current = (): Promise<Spot> => (at ??= settle());
  /** @throws PlaceLost once the checkout is elsewhere */
  const lose = async (
    spot: Promise<Spot>,
    from: RemotePlace,
    why: string,
    isForGood = false,
  ): Promise<never> => {
    // Several commands may lose the same one.
    if (at === spot) at = leave(from, why, isForGood);
    await at;
    throw new PlaceLost(
      `${why} This checkout is fresh elsewhere: what you ran or wrote in it is gone. Run it again.`,
    );
  };
  const there = async <T>(work: (spot: Spot) => Promise<T>): Promise<T> => {
    const spot = current();
    const { remote } = await spot;
    try {
      return await work(await spot);
    } catch (error) {
      if (remote === null || error instanceof ToolFailure) throw error;
      return lose(spot, remote, lossOf(remote, error));
    }
  };
  /** For a check: where a machine cannot run it, that says nothing about the work. */
  const runCheck = async (command: PlacedCommand) => {
    const spot = current();
    const { remote } = await spot;
    if (remote === null) return (await spot).run(command);
    const what = `\`${command.command}\``;
    const result = await there(({ run: runThere }) => runThere(command)).catch((error: unknown) => {
      if (!(error instanceof ToolFailure)) throw error;
      return lose(spot, remote, `Worker ${remote.machine} cannot run ${what}: ${error.message}`, true);
    });
    return result.outcome === "missing"
      ? lose(spot, remote, `Worker ${remote.machine} lacks a program of ${what}.`, true)
      : result;
  };
  const forJudges = <T>(work: (spot: Spot) => Promise<T>): Promise<T> =>
    there(work).catch((error: unknown) => {
      throw error instanceof PlaceLost ? new ToolFailure("failed", error.message) : error;
    });
  const atHome = async (): Promise<CheckoutHandle> => {
    const { remote, local } = await current();
    if (remote !== null) await connected.release(owner);
    at = remote === null ? at : onHost();
    return local ?? (await at)?.local ?? Promise.reject(new Error(`${holder} has no folder here.`));
  };

  return {
    ...{ id: holder, location: files },
    files: (rules = {}) =>
      placedFiles(rules.protectedFiles ?? run.config.protectedFiles, (ask) =>
        forJudges((spot) => ask(spot.files(rules))),
      ),
    run: (command) => forJudges((spot) => spot.run(command)),
    start: async (program) => (await atHome()).start(program),
    adopt: async (init, program) => (await atHome()).adopt(init, program),
    checks: ({ foundIn, ...options }) => ({
      async run(asked) {
        for (;;) {
          try {
            const spot = current();
            const { remote, folder } = await spot;
            if (remote !== null) notice(`The checks run on worker ${remote.machine}.`);
            const runner = createCheckRunner({
              ...options,
              sandbox: checkSandbox((await run.sandbox()).isolation, runCheck),
              defaultsFrom: folderOf(foundIn),
              location: () => folder,
            });
            const results = await runner.run({ ...asked, workspace: files });
            const refusal = (await remote?.refusal()) ?? null;
            if (remote !== null && refusal !== null)
              await lose(spot, remote, `Results of worker ${remote.machine} were refused: ${refusal}.`);
            return results;
          } catch (error) {
            if (!(error instanceof PlaceLost)) throw error;
          }
        }
      },
    }),
    foundChecks: (chosen) => localCheckout(run, files).foundChecks(chosen),
    async remove() {
      await at?.catch(() => undefined);
      await connected.release(owner);
      await copy?.remove();
    },
  };
}

const lossOf = ({ machine }: RemotePlace, error: unknown): string =>
  error instanceof MachineGone
    ? `Worker ${machine} is gone.`
    : `Worker ${machine} failed: ${explain(error).message.replace(/\.$/u, "")}.`;

/** Files that are wherever the checkout is when they are asked for. */
function placedFiles(
  protectedFiles: readonly string[],
  inPlace: <T>(work: (files: FileAccess) => Promise<T>) => Promise<T>,
): FileAccess {
  return {
    protectedFiles,
    readText: (path) => inPlace((files) => files.readText(path)),
    readPicture: (path) => inPlace((files) => files.readPicture(path)),
    list: (path, options) => inPlace((files) => files.list(path, options)),
    find: (pattern, options) => inPlace((files) => files.find(pattern, options)),
    search: (pattern, options) => inPlace((files) => files.search(pattern, options)),
    writeText: (path, text, expected) => inPlace((files) => files.writeText(path, text, expected)),
    move: (from, to) => inPlace((files) => files.move(from, to)),
    remove: (path) => inPlace((files) => files.remove(path)),
  };
}
