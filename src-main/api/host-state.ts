import type { HostEvent } from "#shared/contract/events.ts";
import type { AppView, ToolView, UnfinishedRun } from "#shared/contract/views/app.ts";
import type { SettingsPatch } from "#shared/contract/views/settings.ts";
import type { Tempo } from "#shared/domain/rehearsal/tempo.ts";
import type { Ending } from "#shared/domain/text/ending-line.ts";
import { RecentRepositories } from "../config/recent-repositories.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { HostOptions } from "../host-interface.ts";
import { type ApiKey, createApiKey } from "./api-key.ts";
import { type AppSettings, openAppSettings } from "./app-settings.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import type { HostParts } from "./host-parts.ts";
import type { JjFetch } from "./jj-fetch.ts";
import { noticeOf } from "./notice-of.ts";
import type { OpenRepository } from "./open-repository.ts";
import { NotOpen, Refusal } from "./refusal.ts";
import { createRehearsalDrivers, rehearsalOf } from "./rehearsals.ts";
import { createRepositories, type Repositories } from "./repositories.ts";
import { startEngine } from "./start-engine.ts";
import { createTools, type Tools } from "./tools.ts";
import { createUnfinishedRuns } from "./unfinished-run.ts";

/** All that one host knows: settings, key, the open repository and the events that tell clients about them. */
export interface HostState
  extends Pick<Repositories, "inspect" | "open" | "adopt" | "takeOver" | "closeRepository"> {
  readonly stateFolder: string;
  readonly log: EventLog;
  readonly key: ApiKey;
  readonly parts: HostParts<HostState>;
  readonly recent: RecentRepositories;
  readonly jjFetch: JjFetch;
  app(): AppView;
  publishApp(): void;
  /** The open repository, or `NotOpen`. */
  opened(): OpenRepository;
  /** The open repository's engine, for everything that changes something. */
  engine(): Engine;
  /** What closing waits for. */
  ending(): Ending;
  pickFolder(): Promise<string | null>;
  /** How fast scripted models speak from now on. */
  setTempo(tempo: Tempo): Promise<void>;
  changeSettings(patch: SettingsPatch): Promise<void>;
  inspectTools(): Promise<readonly ToolView[]>;
  close(): Promise<void>;
}

export async function createHostState(options: HostOptions, parts: HostParts<HostState>): Promise<HostState> {
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  const [settings, recent] = await Promise.all([
    openAppSettings(stateFolder),
    RecentRepositories.read(stateFolder),
  ]);
  const unfinishedRun = createUnfinishedRuns((root) => repositoryStateFolder(stateFolder, root));
  const key = createApiKey(options.keychain);
  const rehearsalDrivers = createRehearsalDrivers(parts.rehearsals, options.rehearsalPace ?? 0);
  const underWay = createUnderWay();

  const app = (): AppView => ({
    ...appView(options, parts),
    ...tools.view(),
    ...ofUser({ key, recent, settings, unfinishedRun }),
    rehearsalTempo: rehearsalDrivers.tempo(),
  });
  const log = createEventLog({
    snapshot: (): readonly HostEvent[] => {
      const open = repositories.shown();
      return [{ kind: "snapshot", app: app(), repository: open?.state() ?? null }, ...(open?.parts() ?? [])];
    },
  });
  const publish = (event: HostEvent): void => log.publish(event);
  const publishApp = (): void => publish({ kind: "app", app: app() });
  const tools = createTools({ parts, settings, changed: publishApp, publish });
  const changeSettings = async (patch: SettingsPatch): Promise<void> => {
    await settings.change(patch);
    if (patch.allowUnsandboxed !== undefined) await tools.inspectSandbox();
    publishApp();
  };

  const surroundings = {
    ...{ parts, sharedFolder: stateFolder, settings, key, tools, rehearsalDrivers },
    ...{ changeSettings, changed: publishApp, publish },
  };
  const { openEndpoint } = parts;
  const repositories = createRepositories({
    parts,
    stateFolderOf: (root) => repositoryStateFolder(stateFolder, root),
    rehearsalOf: (root) => rehearsalOf(stateFolder, root),
    startEngine: (repository, folder) => startEngine(surroundings, repository, folder),
    openEndpoint: openEndpoint && ((folder) => openEndpoint(state, folder)),
    async opened(root) {
      await recent.add(root, Date.now());
      publishApp();
      const warning = settings.warning();
      if (warning) publish({ kind: "notice", level: "warning", text: warning, remedy: null });
    },
    closed: () => tools.followHosts([]),
    publish,
  });

  const state: HostState = {
    ...{ stateFolder, log, key, parts, recent, jjFetch: tools.jjFetch, app, publishApp, changeSettings },
    ...repositories,
    ...openedIn(repositories),
    ...shellOf(options),
    open: (path) => underWay.during("a repository to be opened", () => repositories.open(path)),
    async setTempo(tempo) {
      await rehearsalDrivers.setTempo(tempo);
      publishApp();
    },
    inspectTools: tools.inspect,
    ending: () => ({ saving: savingIn(repositories), waitsFor: underWay.last() }),
    async close() {
      await tools.jjFetch.close();
      await repositories.close();
      await background;
      await rehearsalDrivers.close();
      await tools.close();
      log.close();
    },
  };
  await key.load();
  const background = lookAtMachine(tools, underWay, publish);
  return state;
}

/** In the background: nobody should wait for a version before seeing a graph. */
function lookAtMachine(
  tools: Tools,
  underWay: ReturnType<typeof createUnderWay>,
  publish: (event: HostEvent) => void,
): Promise<void> {
  return underWay
    .during("the versions of programs", () => Promise.all([tools.inspect(), tools.inspectSandbox()]))
    .then(
      () => undefined,
      (error: unknown) => publish(noticeOf("The machine's programs could not be looked at", error)),
    );
}

const appView = ({ version, shell, pickFolder }: HostOptions, parts: HostParts) => ({
  version,
  shell,
  platform: process.platform,
  rehearsals: parts.rehearsals.list(),
  nativeDialog: pickFolder !== undefined,
});

const ofUser = (of: {
  readonly key: ApiKey;
  readonly recent: RecentRepositories;
  readonly settings: AppSettings;
  readonly unfinishedRun: (root: string) => UnfinishedRun | null;
}) => ({
  key: of.key.view(),
  recent: of.recent.list().map((one) => ({
    ...one,
    unfinished: one.exists ? of.unfinishedRun(one.path) : null,
  })),
  settings: of.settings.current(),
});

function openedIn(repositories: Repositories): Pick<HostState, "opened" | "engine"> {
  const opened = (): OpenRepository => {
    const open = repositories.shown();
    if (!open) throw new NotOpen();
    return open;
  };
  return {
    opened,
    engine() {
      const { engine } = opened();
      if (engine) return engine;
      throw new Refusal(
        "Another Hox works on this repository; here it can only be looked at.",
        "Take over here (in a terminal: --take-over), or use the other one.",
      );
    },
  };
}

/** What only some shells can do. */
const shellOf = ({ pickFolder }: HostOptions): Pick<HostState, "pickFolder"> => ({
  async pickFolder() {
    if (pickFolder) return pickFolder();
    throw new Refusal("This shell has no folder dialog of the system.", "Choose the folder in the list.");
  },
});

function savingIn(repositories: Repositories): readonly string[] {
  const { run = null, beside = [] } = repositories.shown()?.engine?.state() ?? {};
  return [...(run ? [run] : []), ...beside.map((one) => one.run)]
    .filter(({ endedAt }) => endedAt === null)
    .flatMap(({ workers }) => workers.filter(({ workspace }) => workspace !== null).map(({ name }) => name));
}

/** What is under way that closing waits for. */
function createUnderWay() {
  const all: string[] = [];
  return {
    last: (): string | null => all.at(-1) ?? null,
    async during<T>(what: string, work: () => Promise<T>): Promise<T> {
      all.push(what);
      try {
        return await work();
      } finally {
        all.splice(all.indexOf(what), 1);
      }
    },
  };
}
