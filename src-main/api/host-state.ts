import { statSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import type { HostEvent } from "#shared/contract/events.ts";
import type { Settings, SettingsPatch } from "#shared/contract/settings.ts";
import type { AppView, OpenRepositoryView, UnfinishedRun } from "#shared/contract/views/app.ts";
import type { Tempo } from "#shared/domain/rehearsal/tempo.ts";
import type { Ending } from "#shared/domain/text/format-text.ts";
import { RecentRepositories } from "../config/recent-repositories.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { HostOptions } from "../host-interface.ts";
import { log, openLogFile } from "../log/log.ts";
import { createPeople, hostOwner, invitationAddress, type People } from "../people/people.ts";
import { listRehearsals } from "../rehearsals/rehearsals.ts";
import { withoutSecrets } from "../replay/export-recording.ts";
import { withJournalOrNone } from "../replay/open-recording-file.ts";
import { secretsOf } from "../tools/redact.ts";
import { type ApiKey, createApiKey } from "./api-key.ts";
import { openAppSettings } from "./app-settings.ts";
import { EventLog } from "./event-log.ts";
import { type OpenRepository, publishWhereOther } from "./open-repository.ts";
import { createPresence, type Presence } from "./people-commands.ts";
import { NotOpen, noticeOf, Refusal } from "./refusal.ts";
import { RehearsalDrivers, rehearsalOf } from "./rehearsals.ts";
import { Repositories } from "./repositories.ts";
import { startEngine } from "./start-engine.ts";
import { workElsewhere } from "./status-file.ts";
import { createTools, type Tools } from "./tools.ts";
import type { Line } from "./viewers.ts";
import { createWebhook } from "./webhook.ts";
import { createHostWorkers, type HostWorkers, type OpenWorkerDoor } from "./workers.ts";

/**
 * All that one host knows: settings, key, the open repositories and the events that tell clients about them. `root` is the
 * root of an open repository; left out: of the one that the host opened last, for a command that is its own client.
 */
export interface HostState extends Pick<Repositories, "inspect" | "watch"> {
  readonly stateFolder: string;
  /** For clients in the same process: what `watch` streams. */
  readonly log: Pick<EventLog, "last" | "read">;
  readonly key: ApiKey;
  readonly recent: RecentRepositories;
  readonly tools: Tools;
  readonly people: People;
  readonly presence: Presence;
  /** Says where an invited person goes with a token; null: this host listens for nobody else. */
  invitationAddress(): ((token: string) => string) | null;
  /** Other people open it there. */
  listensForPeople(server: { readonly origin: string; readonly workers: string | null }): void;
  /** Where machines reach this host with TLS; null: nowhere. */
  workersAddress(): string | null;
  readonly workers: Pick<HostWorkers, "invite" | "setState" | "remove" | "requests">;
  app(root?: string): AppView;
  publishApp(): void;
  /** The open repository, or `NotOpen`. */
  opened(root?: string): OpenRepository;
  /** The open repository's engine, for everything that changes something. */
  engine(root?: string): Engine;
  /** @param line of the window that shows it then; left out: all of them. @returns its root */
  open(path: string, line?: Line): Promise<string>;
  /** The window asks about a folder that could not be opened as it is. */
  askAboutFolder(path: string): void;
  adopt(path: string, line?: Line): Promise<string>;
  takeOver(root?: string): Promise<void>;
  /** Nothing where it is not open. */
  closeRepository(root?: string): Promise<void>;
  /** What closing waits for. */
  ending(): Ending;
  pickFolder(): Promise<string | null>;
  /** How fast scripted models speak from now on. */
  setTempo(tempo: Tempo): Promise<void>;
  /** A scripted model that is held speaks on: a user has answered it. */
  continueRehearsal(): Promise<void>;
  changeSettings(patch: SettingsPatch): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param openEndpoint lets terminals control the runs of one open repository
 * @param openWorkerDoor lets invited machines offer places
 */
export async function createHostState(
  options: HostOptions,
  openEndpoint: (state: HostState, root: string, stateFolder: string) => Promise<{ close(): Promise<void> }>,
  openWorkerDoor: OpenWorkerDoor,
): Promise<HostState> {
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  const [settings, recent] = await Promise.all([
    openAppSettings(stateFolder),
    RecentRepositories.read(stateFolder, (path) => rehearsalOf(stateFolder, path) !== null),
  ]);
  const unfinishedRun = createUnfinishedRuns((root) => repositoryStateFolder(stateFolder, root));
  const key = createApiKey(options.keychain);
  const people = createPeople(stateFolder);
  const closeLog = openHostLog(stateFolder, options, () => key.secrets());
  let isReady = false;
  const workers = createHostWorkers(stateFolder, openWorkerDoor, () => isReady && publishApp());
  const rehearsalDrivers = new RehearsalDrivers(options.rehearsalPace ?? 0);
  const rehearsals = listRehearsals().map(({ name, title, description, seconds }) => ({
    ...{ name, title, description, seconds },
  }));
  const underWay = createUnderWay();
  let folderToOpen: string | null = null;
  let listensAt: { readonly origin: string; readonly workers: string | null } | null = null;
  const app = (of: string | null): AppView => ({
    version: options.version,
    shell: options.shell,
    platform: process.platform,
    rehearsals,
    nativeDialog: options.pickFolder !== undefined,
    ...tools.view(of),
    key: key.view(),
    recent: recent.list().map((one) => ({ ...one, unfinished: one.exists ? unfinishedRun(one.path) : null })),
    settings: settings.current(),
    rehearsalTempo: rehearsalDrivers.tempo,
    folderToOpen,
    ...(people.any() ? { owner: hostOwner() } : {}),
    fleet: workers.view(),
  });
  const publish = (event: HostEvent): void => repositories.publish(event);
  const publishApp = (): void => repositories.publishEach((of) => ({ kind: "app", app: app(of) }));
  const webhook = createWebhook({
    address: () => settings.current().webhook,
    onFailure({ message: text, remedy }) {
      log.warn("webhook failed", { text });
      publish({ kind: "notice", level: "warning", text, remedy });
    },
  });
  const tools = createTools({ settings, changed: publishApp, publish });
  const presence = createPresence(() => {
    if (people.any()) publish({ kind: "presence", present: presence.list() });
  });
  // The first invitation, and one by another process.
  people.listen(publishApp);
  const changeSettings = async (patch: SettingsPatch): Promise<void> => {
    const before = settings.current();
    await settings.change(patch);
    await applySettings(before);
  };
  const applySettings = async (before: Settings): Promise<void> => {
    if (settings.current().allowUnsandboxed !== before.allowUnsandboxed) await tools.isolations.inspect();
    publishApp();
  };
  const stopFollowing = settings.follow((before) => {
    const text = settings.warning();
    if (text) publish({ kind: "notice", level: "warning", text, remedy: null });
    applySettings(before).catch((error: unknown) =>
      publish(noticeOf("Changed settings could not be applied", error)),
    );
  });

  const setTempo = async (tempo: Tempo): Promise<void> => {
    await rehearsalDrivers.setTempo(tempo);
    publishApp();
  };

  const repositories: Repositories = new Repositories({
    stateFolderOf: (root) => repositoryStateFolder(stateFolder, root),
    rehearsalOf: (root) => rehearsalOf(stateFolder, root),
    openEndpoint: (root, folder) => openEndpoint(state, root, folder),
    startEngine: (...of) =>
      startEngine(
        {
          ...{ sharedFolder: stateFolder, settings, key, tools, rehearsalDrivers, changeSettings },
          places: workers.connected,
          changed: publishApp,
        },
        ...of,
      ),
    createLog: (of) => new EventLog({ snapshot: () => snapshotOf(repositories, app(of), of, presence) }),
    async opened(root) {
      folderToOpen = null;
      const own = repositories.get(root)?.log;
      // It is open all the same.
      await recent.add(root, Date.now()).catch((error: unknown) => {
        own?.publish(noticeOf("It was not added to the recent repositories", error));
      });
      publishApp();
      const text = settings.warning();
      if (text) own?.publish({ kind: "notice", level: "warning", text, remedy: null });
      if (people.failure() !== null)
        own?.publish(noticeOf("No other person can use this host", people.failure()));
    },
    closed(root) {
      tools.isolations.forget(root);
      publishApp();
    },
    changed: publishWhereOther(
      () => viewsOf(repositories),
      (open) => {
        publish({ kind: "open-repositories", repositories: open });
        webhook.observe(open);
      },
    ),
  });

  const state: HostState = {
    stateFolder,
    key,
    recent,
    tools,
    people,
    presence,
    invitationAddress() {
      const at = listensAt;
      return at === null ? null : (token) => invitationAddress(at.origin, token);
    },
    listensForPeople(server) {
      listensAt = server;
    },
    workersAddress: () => listensAt?.workers ?? null,
    workers,
    publishApp,
    changeSettings,
    inspect: (path) => repositories.inspect(path),
    watch: (...given) => repositories.watch(...given),
    adopt: (path, line) => repositories.adopt(path, line),
    ...openedIn(repositories),
    async pickFolder() {
      if (options.pickFolder) return options.pickFolder();
      throw new Refusal("No system folder dialog is available here.", "Choose the folder from the list.");
    },
    setTempo,
    async continueRehearsal() {
      if (rehearsalDrivers.tempo === "held") await setTempo("usual");
    },
    log: {
      get last() {
        return repositories.last();
      },
      read: (since, signal) => repositories.watch(undefined, { since }, signal),
    },
    app: (root) => app(root ?? repositories.shownBy()),
    askAboutFolder(path) {
      folderToOpen = path;
      publishApp();
    },
    open: (path, line) => underWay.during("a repository to open", () => repositories.open(path, line)),
    ending: () => ({ saving: savingIn(repositories), waitsFor: underWay.last() }),
    async close() {
      stopFollowing();
      await tools.jjFetch.close();
      await repositories.close();
      await webhook.close();
      await workers.close();
      await background;
      await rehearsalDrivers.close();
      await tools.close();
      people.close();
      log.info("host stopped");
      closeLog();
    },
  };
  isReady = true;
  await key.load();
  const background = lookAtMachine(tools, underWay, publish);
  return state;
}

/** From here on what happens goes to the log of the state folder. @returns closes it */
function openHostLog(
  stateFolder: string,
  { version, shell }: HostOptions,
  secrets: () => readonly string[],
): () => void {
  const close = openLogFile(stateFolder, (text) =>
    withoutSecrets([...secrets(), ...secretsOf(process.env)])(text),
  );
  const { node, electron } = process.versions;
  const system = `${process.platform}-${process.arch}-${release()}`;
  log.info("host started", { version, shell, system, node, ...(electron ? { electron } : {}) });
  return close;
}

type Recorded = Omit<UnfinishedRun, "inOtherHost">;

/** Reads which run of a repository is not over, and only where its journal was written to since. */
export function createUnfinishedRuns(
  stateFolderOf: (root: string) => string,
): (root: string) => UnfinishedRun | null {
  const folders = new Map<string, string>();
  const known = new Map<string, { readonly written: string; readonly run: Recorded | null }>();
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

const viewsOf = (repositories: Repositories): readonly OpenRepositoryView[] =>
  repositories.list().map((session) => session.view());

/** Everything that a window needs to show a repository, or (null) none. */
function snapshotOf(
  repositories: Repositories,
  app: AppView,
  of: string | null,
  presence: Presence,
): readonly HostEvent[] {
  const shown = of === null ? null : (repositories.get(of)?.shown() ?? null);
  const open = viewsOf(repositories);
  const present = app.owner !== undefined ? { present: presence.list() } : {};
  return [
    { kind: "snapshot", app, repository: shown?.state() ?? null, open, ...present },
    ...(shown?.parts() ?? []),
  ];
}

/** In the background, so that the graph does not wait for version checks. */
function lookAtMachine(
  tools: Tools,
  underWay: ReturnType<typeof createUnderWay>,
  publish: (event: HostEvent) => void,
): Promise<void> {
  return underWay
    .during("program versions", () => Promise.all([tools.inspect(), tools.isolations.inspect()]))
    .then(
      () => undefined,
      (error: unknown) => publish(noticeOf("Could not check the programs on this machine", error)),
    );
}

function openedIn(
  repositories: Repositories,
): Pick<HostState, "opened" | "engine" | "takeOver" | "closeRepository"> {
  const rootOr = (root: string | null = repositories.shownBy()): string => {
    if (root === null) throw new NotOpen();
    return root;
  };
  const opened = (root?: string): OpenRepository => {
    const of = rootOr(root);
    const open = repositories.get(of)?.shown();
    if (!open) throw new NotOpen(of);
    return open;
  };
  return {
    opened,
    engine: (root) => engineOf(opened(root)),
    takeOver: async (root) => repositories.takeOver(rootOr(root)),
    async closeRepository(root = repositories.shownBy() ?? undefined) {
      if (root !== undefined) await repositories.closeRepository(root);
    },
  };
}

/** @throws Refusal where another host works on the repository */
export function engineOf({ engine }: Pick<OpenRepository, "engine">): Engine {
  if (engine) return engine;
  throw new Refusal(
    "Read-only: another Hox process has this repository open.",
    "Take over here (in a terminal: --take-over), or use the other Hox.",
  );
}

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
