import { AsyncLocalStorage } from "node:async_hooks";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { HostEvent } from "#shared/contract/events.ts";
import type { AppView, ToolView, UnfinishedRun } from "#shared/contract/views/app.ts";
import type { OpenRepositoryView } from "#shared/contract/views/open-repositories.ts";
import type { SettingsPatch } from "#shared/contract/views/settings.ts";
import type { Tempo } from "#shared/domain/rehearsal/tempo.ts";
import type { Ending } from "#shared/domain/text/ending-line.ts";
import { RecentRepositories } from "../config/recent-repositories.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { HostOptions } from "../host-interface.ts";
import { withJournalOrNone } from "../replay/open-recording.ts";
import { type ApiKey, createApiKey } from "./api-key.ts";
import { type AppSettings, openAppSettings } from "./app-settings.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import type { HostParts } from "./host-parts.ts";
import type { JjFetch } from "./jj-fetch.ts";
import { noticeOf } from "./notice-of.ts";
import type { OpenRepository } from "./open-repository.ts";
import { NotOpen, Refusal } from "./refusal.ts";
import { createRehearsalDrivers, rehearsalOf, tempoOf } from "./rehearsals.ts";
import { createRepositories, type Repositories } from "./repositories.ts";
import { startEngine } from "./start-engine.ts";
import { workElsewhere } from "./status-file.ts";
import { createTools, type Tools } from "./tools.ts";
import type { Line } from "./viewers.ts";

/**
 * The state of one host: settings, key, open repositories and the events for clients. Calls without a
 * repository are for the one of the request.
 */
export interface HostState extends Pick<Repositories, "inspect" | "watch"> {
  readonly stateFolder: string;
  /** For clients in the same process: what `watch` streams. */
  readonly log: Pick<EventLog, "last" | "read">;
  readonly key: ApiKey;
  readonly parts: HostParts<HostState>;
  readonly recent: RecentRepositories;
  readonly jjFetch: JjFetch;
  app(): AppView;
  publishApp(): void;
  /** Carries out a call of a window, or of a terminal that knows only one repository. */
  during: MeantRepository["during"];
  /** The open repository, or `NotOpen`. */
  opened(): OpenRepository;
  /** The open repository's engine, for everything that changes something. */
  engine(): Engine;
  /** @returns its root */
  open(path: string): Promise<string>;
  /** The window asks about a folder that could not be opened as it is. */
  askAboutFolder(path: string): void;
  adopt(path: string): Promise<string>;
  takeOver(): Promise<void>;
  /** @param path of an open one; left out: the one that the call is for */
  closeRepository(path?: string): Promise<void>;
  /** What closing waits for. */
  ending(): Ending;
  pickFolder(): Promise<string | null>;
  /** How fast scripted models speak from now on. */
  setTempo(tempo: Tempo): Promise<void>;
  /** A scripted model that is held speaks on: a user has answered it. */
  continueRehearsal(): Promise<void>;
  changeSettings(patch: SettingsPatch): Promise<void>;
  inspectTools(): Promise<readonly ToolView[]>;
  close(): Promise<void>;
}

/** Which repository a call is for: what it names, else what its window shows. */
interface MeantRepository {
  /** Its root; null: none. */
  root(): string | null;
  /** The window that asks; undefined: none. */
  line(): Line | undefined;
  /** @param of the root that the call names; null: none */
  during<T>(call: { readonly line: Line | undefined; readonly of: string | null }, work: () => T): T;
}

function createMeantRepository(shownBy: (line?: Line) => string | null): MeantRepository {
  // Handlers ask at any depth, and others are carried out between their steps.
  const meant = new AsyncLocalStorage<{ readonly line: Line | undefined; readonly root: string | null }>();
  return {
    root() {
      const call = meant.getStore();
      return call ? call.root : shownBy();
    },
    line: () => meant.getStore()?.line,
    during: ({ line, of }, work) => meant.run({ line, root: of ?? shownBy(line) }, work),
  };
}

export async function createHostState(options: HostOptions, parts: HostParts<HostState>): Promise<HostState> {
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  const [settings, recent] = await Promise.all([
    openAppSettings(stateFolder),
    RecentRepositories.read(stateFolder, (path) => rehearsalOf(stateFolder, path) !== null),
  ]);
  const unfinishedRun = createUnfinishedRuns((root) => repositoryStateFolder(stateFolder, root));
  const key = createApiKey(options.keychain);
  const rehearsalDrivers = createRehearsalDrivers(parts.rehearsals, options.rehearsalPace ?? 0);
  const underWay = createUnderWay();
  let folderToOpen: string | null = null;
  const app = (of: string | null): AppView => ({
    ...appView(options, parts),
    ...tools.view(of),
    ...ofUser({ key, recent, settings, unfinishedRun }),
    rehearsalTempo: rehearsalDrivers.tempo(),
    folderToOpen,
  });
  const publish = (event: HostEvent): void => repositories.publish(event);
  const publishApp = (): void => repositories.publishEach((of) => ({ kind: "app", app: app(of) }));
  const tools = createTools({ parts, settings, changed: publishApp, publish });
  const changeSettings = async (patch: SettingsPatch): Promise<void> => {
    await settings.change(patch);
    if (patch.allowUnsandboxed !== undefined) await tools.inspectSandbox();
    publishApp();
  };

  const surroundings = {
    ...{ parts, sharedFolder: stateFolder, settings, key, tools, rehearsalDrivers },
    ...{ changeSettings, changed: publishApp },
  };
  const repositories = createRepositories({
    ...partsOfRepositories(parts, stateFolder, () => state),
    startEngine: (...of) => startEngine(surroundings, ...of),
    createLog: (of) => createEventLog({ snapshot: () => snapshotOf(repositories, app(of), of) }),
    async opened(root) {
      folderToOpen = null;
      await recent.add(root, Date.now());
      publishApp();
      const text = settings.warning();
      if (text) repositories.get(root)?.log.publish({ kind: "notice", level: "warning", text, remedy: null });
    },
    closed(root) {
      tools.forget(root);
      publishApp();
    },
    changed: publishWhereOther(
      () => viewsOf(repositories),
      (open) => publish({ kind: "open-repositories", repositories: open }),
    ),
  });
  const meant = createMeantRepository(repositories.shownBy);

  const state: HostState = {
    ...{ stateFolder, key, parts, recent, jjFetch: tools.jjFetch, publishApp, changeSettings },
    ...{ inspect: repositories.inspect, watch: repositories.watch, during: meant.during },
    ...openedIn(repositories, meant),
    ...shellOf(options),
    ...tempoOf(rehearsalDrivers, publishApp),
    log: ownLog(repositories),
    app: () => app(meant.root()),
    askAboutFolder(path) {
      folderToOpen = path;
      publishApp();
    },
    open: (path) => underWay.during("a repository to open", () => repositories.open(path, meant.line())),
    inspectTools: tools.inspect,
    ending: () => ({ saving: savingIn(repositories), waitsFor: underWay.last() }),
    async close() {
      await tools.jjFetch.close();
      await repositories.close();
      await background;
      await rehearsalDrivers.close();
      await tools.close();
    },
  };
  await key.load();
  const background = lookAtMachine(tools, underWay, publish);
  return state;
}

type Recorded = Omit<UnfinishedRun, "inOtherHost">;

interface CachedRun {
  readonly written: string;
  readonly run: Recorded | null;
}

/** Reads which run of a repository is not over, and only where its journal was written to since. */
export function createUnfinishedRuns(
  stateFolderOf: (root: string) => string,
): (root: string) => UnfinishedRun | null {
  const folders = new Map<string, string>();
  const known = new Map<string, CachedRun>();
  const recorded = (root: string, folder: string): Recorded | null => {
    const written = lastWritten(folder);
    const before = known.get(root);
    if (before?.written === written) return before.run;
    const run = withJournalOrNone(folder, (journal): Recorded | null => {
      // A watch blocks nothing.
      const found = journal.runs().find(({ endedAt, input }) => endedAt === null && !input.isWatch);
      if (!found) return null;
      const waiting = journal.cards(found.id).filter(({ answeredAt }) => answeredAt === null).length;
      return { goal: found.input.goal, waiting };
    });
    known.set(root, { written, run });
    return run;
  };
  return (root) => {
    try {
      const folder = folders.get(root) ?? stateFolderOf(root);
      folders.set(root, folder);
      const run = recorded(root, folder);
      // Who works on it ends without a word in the journal.
      return run && { ...run, inOtherHost: workElsewhere(folder) };
    } catch {
      // Opening it reports why its journal cannot be read; a list of folders has no room for that.
      return null;
    }
  };
}

/** Of the journal and of what was added to it last. */
const lastWritten = (folder: string): string =>
  ["journal.sqlite", "journal.sqlite-wal"]
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0)
    .join(" ");

const partsOfRepositories = (parts: HostParts<HostState>, stateFolder: string, state: () => HostState) => {
  const { openEndpoint } = parts;
  return {
    parts,
    stateFolderOf: (root: string) => repositoryStateFolder(stateFolder, root),
    rehearsalOf: (root: string) => rehearsalOf(stateFolder, root),
    openEndpoint: openEndpoint && ((root: string, folder: string) => openEndpoint(state(), root, folder)),
  };
};

const viewsOf = (repositories: Repositories): readonly OpenRepositoryView[] =>
  repositories.list().map((session) => session.view());

/** Everything that a window needs to show a repository, or (null) none. */
function snapshotOf(repositories: Repositories, app: AppView, of: string | null): readonly HostEvent[] {
  const shown = of === null ? null : (repositories.get(of)?.shown() ?? null);
  const open = viewsOf(repositories);
  return [{ kind: "snapshot", app, repository: shown?.state() ?? null, open }, ...(shown?.parts() ?? [])];
}

/** Publishes a value when it differs from the last published one. */
function publishWhereOther<T>(now: () => T, tell: (now: T) => void): () => void {
  let published = "";
  return () => {
    const found = now();
    const text = JSON.stringify(found);
    if (text === published) return;
    published = text;
    tell(found);
  };
}

function ownLog(repositories: Repositories): HostState["log"] {
  return {
    get last() {
      return repositories.last();
    },
    read: (since, signal) => repositories.watch(undefined, { since }, signal),
  };
}

/** In the background, so that the graph does not wait for version checks. */
function lookAtMachine(
  tools: Tools,
  underWay: ReturnType<typeof createUnderWay>,
  publish: (event: HostEvent) => void,
): Promise<void> {
  return underWay
    .during("program versions", () => Promise.all([tools.inspect(), tools.inspectSandbox()]))
    .then(
      () => undefined,
      (error: unknown) => publish(noticeOf("Could not check the programs on this machine", error)),
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

function openedIn(
  repositories: Repositories,
  meant: MeantRepository,
): Pick<HostState, "opened" | "engine" | "adopt" | "takeOver" | "closeRepository"> {
  const root = (): string => {
    const found = meant.root();
    if (found === null) throw new NotOpen();
    return found;
  };
  const opened = (): OpenRepository => {
    const of = root();
    const open = repositories.get(of)?.shown();
    if (!open) throw new NotOpen(of);
    return open;
  };
  return {
    opened,
    engine() {
      const { engine } = opened();
      if (engine) return engine;
      throw new Refusal(
        "Read-only: another Hox process has this repository open.",
        "Take over here (in a terminal: --take-over), or use the other Hox.",
      );
    },
    adopt: (path) => repositories.adopt(path, meant.line()),
    takeOver: async () => repositories.takeOver(root()),
    async closeRepository(path) {
      const of = path ?? meant.root();
      // Safe to repeat.
      if (of !== null) await repositories.closeRepository(of);
    },
  };
}

/** What only some shells can do. */
const shellOf = ({ pickFolder }: HostOptions): Pick<HostState, "pickFolder"> => ({
  async pickFolder() {
    if (pickFolder) return pickFolder();
    throw new Refusal("No system folder dialog is available here.", "Choose the folder from the list.");
  },
});

function savingIn(repositories: Repositories): readonly string[] {
  const open = repositories.list();
  return open.flatMap((session) => {
    const { run = null, otherRuns = [] } = session.shown()?.engine?.state() ?? {};
    return [...(run ? [run] : []), ...otherRuns.map((one) => one.run)]
      .filter(({ endedAt }) => endedAt === null)
      .flatMap(({ workers }) => workers.filter(({ workspace }) => workspace !== null))
      .map(({ name }) => (open.length === 1 ? name : `${name} in ${session.name}`));
  });
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
