/** The places of a run whose agents may work on other machines. Everything else about a workspace is the host's. */

import { posix } from "node:path";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { createCheckRunner } from "../../checks/check-runner.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import type { ConnectedMachines } from "../../places/host/connected-machines.ts";
import type { RemotePlace } from "../../places/host/remote-place.ts";
import { type FileAccess, ToolFailure } from "../../tools/tool-interface.ts";
import type { TextEdit } from "../../tools/workspace-files.ts";
import { explain } from "../engine-errors.ts";
import { readChange } from "../graph-sync/read-change.ts";
import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";
import { installedPackages } from "./installed-packages.ts";
import { folderOf } from "./local-checkout.ts";
import {
  checkSandbox,
  hostFolder,
  indexFolder,
  labelOf,
  notifyNoWorker,
  setUpThere,
  takePlace,
} from "./place-requests.ts";
import { placedCheckouts } from "./placed-checkouts.ts";
import { createTravel, type Travel } from "./travelling-files.ts";
import type { CheckoutHandle, FileRules, WorkspaceHandle, Workspaces } from "./workspace-interface.ts";

/** @param local the same places on the host */
export function placedWorkspaces(
  getRun: () => Run,
  local: Workspaces,
  connected: ConnectedMachines,
): Workspaces {
  const travels = new Map<string, Travel>();
  /** Agents of other makes that work for workers. */
  const agents = new Map<string, { readonly agent: string } | null>();
  const travelOf = (worker: string): Travel => {
    const known = travels.get(worker);
    if (known) return known;
    const agentOf = () => agents.get(worker)?.agent ?? null;
    const made = createTravel(travelParts(getRun, local, connected, worker, agentOf));
    travels.set(worker, made);
    return made;
  };
  const placed = (worker: string, handle: WorkspaceHandle): WorkspaceHandle =>
    placedWorkspace(getRun(), handle, travelOf(worker));
  return {
    of(worker) {
      const handle = local.of(worker);
      return handle && placed(worker, handle);
    },
    ensure: async (worker, change) =>
      placed(worker, await travelOf(worker).record(() => local.ensure(worker, change))),
    async setUp(worker, workspace, signal, rule) {
      const run = getRun();
      const travel = travelOf(worker);
      const label = labelOf(run);
      agents.set(worker, rule?.kind === "with-agent" ? rule : null);
      if (rule?.kind === "stays" && label !== null) notifyStay(run, worker, rule.why);
      if (rule === undefined || rule.kind === "stays" || label === null) await travel.comeHome();
      else if (await travel.settle()) {
        const place = travel.place();
        if (place === null && rule.kind === "with-agent" && !connected.has({ label, agent: rule.agent }))
          notifyStay(run, worker, `no worker with the label ${shownName(label)} has ${rule.label}`);
        else notifyPlace(run, worker, place?.machine ?? null);
      }
      const remote = travel.place();
      if (remote === null) return local.setUp(worker, workspace, signal);
      const there = placedWorkspace(run, workspace, travel);
      await setUpAway(run, worker, remote, (command) => there.run(command), signal);
    },
    home: local.home,
    checkouts(commit, options) {
      const run = getRun();
      const { setUpFor } = options;
      // Without a set-up nothing runs there.
      return setUpFor === undefined || labelOf(run) === null
        ? local.checkouts(commit, options)
        : placedCheckouts(run, connected, commit, { ...options, setUpFor });
    },
    async saveAll(isMeant) {
      const meant = [...travels].flatMap(([worker, travel]) => (isMeant?.(worker) === false ? [] : [travel]));
      // Each in the turn of its files, so that nothing changes between bringing and recording.
      const save = (left: readonly Travel[]): Promise<void> => {
        const [first, ...rest] = left;
        return first === undefined ? local.saveAll(isMeant) : first.record(() => save(rest));
      };
      await save(meant);
    },
    async end(worker) {
      await travelOf(worker).comeHome();
      await local.end(worker);
    },
    forgetGone: local.forgetGone,
    async removeAll() {
      for (const travel of travels.values()) await travel.comeHome();
      await connected.releaseLeft({ repository: getRun().repository.root, run: getRun().id });
      await local.removeAll();
      await removeTree(indexFolder(getRun()));
    },
    hasAgent: (agent) => {
      const label = labelOf(getRun());
      return label !== null && connected.has({ label, agent });
    },
    leave: (worker) => travelOf(worker).comeHome(),
    takeLoss: (worker) => travels.get(worker)?.takeLoss() ?? null,
  };
}

/** Says once for each reason why an agent of another make is on the host. */
function notifyStay(run: Run, worker: string, why: string): void {
  if (!run.once.isFirst(`stays/${worker}/${why}`)) return;
  const text = `Works on this machine, because ${why}. The checks of finished work run on workers.`;
  run.appendTranscript(worker, { kind: "notice", text });
}

function notifyPlace(run: Run, worker: string, machine: string | null): void {
  if (machine === null) notifyNoWorker(run);
  else run.appendTranscript(worker, { kind: "notice", text: `Works on worker ${machine}.` });
}

function travelParts(
  getRun: () => Run,
  local: Workspaces,
  connected: ConnectedMachines,
  worker: string,
  agentOf: () => string | null,
) {
  const owner = () => ({ repository: getRun().repository.root, run: getRun().id, worker });
  return {
    async take() {
      const run = getRun();
      const handle = local.of(worker);
      if (labelOf(run) === null || handle === null) return null;
      const { changeId } = run.worker(worker).record;
      const commit = changeId === null ? null : (await readChange(run, changeId)).commitId;
      const files = await hostFolder(run, worker, folderOf(handle), commit);
      return takePlace(run, connected, worker, files, agentOf());
    },
    release: () => connected.release(owner()),
    async setUp(remote: RemotePlace | null) {
      const run = getRun();
      const handle = local.of(worker);
      if (handle === null) return;
      const { signal } = run.runEnded;
      if (remote === null) await local.setUp(worker, handle, signal);
      else {
        // Whatever was made elsewhere would replace what other calls of the agent write meanwhile.
        const own: RemotePlace = { ...remote, setUp: async (_, work) => void (await work()) };
        await setUpAway(run, worker, own, remote.run, signal);
      }
    },
    refused(
      { machine, machineId }: RemotePlace,
      refusal: { readonly message: string; readonly isFaultOfMachine: boolean },
    ) {
      if (!refusal.isFaultOfMachine) return;
      void connected
        .distrust(machineId)
        .catch((error: unknown) =>
          warn(getRun(), `Worker ${machine} could not be drained: ${explain(error).message}`, null),
        );
      warn(
        getRun(),
        `Worker ${machine} sent files that no sound worker sends: ${refusal.message}.`,
        `It gets no new places. Remove it with \`hox workers remove ${machine}\`, or trust it again with \`hox workers resume ${machine}\`.`,
      );
    },
    isClosing: () => getRun().runEnded.signal.aborted,
    notice: (text: string) => getRun().appendTranscript(worker, { kind: "notice", text }),
  };
}

/** Once for each place. */
async function setUpAway(
  run: Run,
  worker: string,
  remote: RemotePlace,
  runThere: CheckoutHandle["run"],
  signal: AbortSignal,
): Promise<void> {
  const made = `worker ${remote.machine} ${remote.epoch} ${installedPackages(run)?.id ?? ""}`;
  if (run.worker(worker).record.setUp === made) return;
  await setUpThere(run, worker, remote, runThere, signal);
  if (!signal.aborted && !run.runEnded.signal.aborted) run.append({ kind: "WorkspaceSetUp", worker, made });
}

/** The same workspace, whose files and commands are where its place is. */
function placedWorkspace(run: Run, local: WorkspaceHandle, travel: Travel): WorkspaceHandle {
  const { record } = travel;
  /** Only commands make caches. */
  let mayHaveCaches = true;
  const command =
    (isOfAgent: boolean): CheckoutHandle["run"] =>
    (given) => {
      mayHaveCaches = true;
      return travel.use(
        `\`${given.command.split("\n", 1)[0]}\``,
        (place) => place.run(given),
        () => local.run(given),
        { isCommand: true, isOfAgent },
      );
    };
  return {
    ...local,
    files: (rules = {}) => placedFiles(run, local, travel, rules),
    run: command(true),
    async start(program) {
      await travel.comeHome();
      return local.start(program);
    },
    checks: ({ foundIn, ...options }) => {
      const open = async () =>
        createCheckRunner({
          ...options,
          sandbox: checkSandbox((await run.sandbox()).isolation, command(false)),
          defaultsFrom: folderOf(foundIn),
          location: () => travel.place()?.location ?? folderOf(local),
        });
      let runner: ReturnType<typeof open> | null = null;
      return {
        async run(asked) {
          await travel.bring();
          runner ??= open();
          return (await runner).run({ ...asked, workspace: folderOf(local) });
        },
      };
    },
    foundChecks: (chosen) => travel.bring().then(() => local.foundChecks(chosen)),
    async cachesLeftOut() {
      if (!mayHaveCaches && travel.place() !== null) return [];
      mayHaveCaches = false;
      return travel.use(null, (place) => place.cachesLeftOut(), local.cachesLeftOut, { isOfAgent: false });
    },
    startAgent: (agent, home) => travel.startAgent((place) => place.startAgent(agent), home),
    agentCall: travel.agentCall,
    bringToAgent: travel.bringToAgent,
    showInGit(commit) {
      travel.showInGit(commit);
      local.showInGit(commit);
    },
    async ownPackages(options) {
      await travel.comeHome();
      await local.ownPackages(options);
    },
    snapshot: (options) => record(() => local.snapshot(options), true),
    describe: (...given) => record(() => local.describe(...given), true),
    snapshotInBackground: (options) => record(() => local.snapshotInBackground(options), true),
    updateStale: (options) => record(() => local.updateStale(options)),
    takeFiles: (...given) => record(() => local.takeFiles(...given)),
    restorePaths: (...given) => record(() => local.restorePaths(...given)),
    rebase: (options) => record(() => local.rebase(options)),
    edit: (...given) => record(() => local.edit(...given)),
  };
}

function placedFiles(run: Run, local: WorkspaceHandle, travel: Travel, rules: FileRules): FileAccess {
  const { overrides, mayOverride = () => true, ...given } = rules;
  const remoteRules = { protectedFiles: run.config.protectedFiles, ...given };
  const home = local.files(rules);
  const reads =
    <Args extends unknown[], T>(ask: (files: FileAccess) => (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      travel.use(
        null,
        (place) => ask(place.files(remoteRules))(...args),
        () => ask(home)(...args),
      );
  /** Who decides whether a decision is taken back is here, whoever writes the file. */
  const refuseOverride = async (place: RemotePlace, path: string, after: string): Promise<void> => {
    if (!overrides || !mayOverride()) return;
    const edit = await currentText(place.files(remoteRules), path, after);
    const reason = await overrides(edit);
    if (reason !== null) throw new ToolFailure("overrides-decision", reason);
  };
  return {
    protectedFiles: home.protectedFiles,
    readText: reads((files) => files.readText),
    readPicture: reads((files) => files.readPicture),
    list: reads((files) => files.list),
    find: reads((files) => files.find),
    search: reads((files) => files.search),
    writeText: (path, text, expected) =>
      travel.use(
        `write of ${shownName(path)}`,
        async (place) => {
          await refuseOverride(place, path, text);
          return place.files(remoteRules).writeText(path, text, expected);
        },
        () => home.writeText(path, text, expected),
      ),
    move: (from, to) =>
      travel.use(
        `move of ${shownName(from)} to ${shownName(to)}`,
        async (place) => {
          await refuseOverride(place, from, "");
          return place.files(remoteRules).move(from, to);
        },
        () => home.move(from, to),
      ),
    remove: (path) =>
      travel.use(
        `removal of ${shownName(path)}`,
        async (place) => {
          await refuseOverride(place, path, "");
          return place.files(remoteRules).remove(path);
        },
        () => home.remove(path),
      ),
  };
}

async function currentText(files: FileAccess, path: string, after: string): Promise<TextEdit> {
  try {
    const { path: found, text } = await files.readText(path);
    return { path: found, before: text, after };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { path: posix.normalize(path), before: null, after };
  }
}
