import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HostEvent } from "#shared/contract/events.ts";
import type { AppView, IsolationView, ToolView } from "#shared/contract/views/app.ts";
import type { FolderView } from "#shared/contract/views/folder.ts";
import type { Settings } from "#shared/contract/views/settings.ts";
import type { SlowCommand } from "#shared/domain/host/slow-command.ts";
import type { Ending } from "#shared/domain/text/ending-line.ts";
import { RecentRepositories } from "../config/recent-repositories.ts";
import { readSettings, writeSettings } from "../config/settings.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { HostOptions } from "../host-interface.ts";
import { sharedHistoryFolder } from "../jj/git-view.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { watchSlowCommands } from "../jj/slow-commands.ts";
import { removeOldLogs } from "../tools/sandbox/old-logs.ts";
import { ApiKey } from "./api-key.ts";
import { EventLog } from "./event-log.ts";
import { absolutePath } from "./folders.ts";
import type { HostParts } from "./host-parts.ts";
import { JjFetch } from "./jj-fetch.ts";
import { noticeOf, OpenRepository } from "./open-repository.ts";
import { NotOpen, Refusal } from "./refusal.ts";
import { RehearsalDrivers, rehearsalOf } from "./rehearsals.ts";
import { holderToAsk, isLocked, lockRepository, nameOf, type RepositoryLock } from "./repository-lock.ts";
import { StatusWriter } from "./status-file.ts";
import { type Door, knock, openDoor } from "./take-over.ts";

/** All that one host knows: settings, key, the open repository and the events that tell clients about them. */
export class HostState {
  readonly stateFolder: string;
  readonly log: EventLog;
  readonly key: ApiKey;
  readonly parts: HostParts<HostState>;
  readonly rehearsalDrivers: RehearsalDrivers;
  readonly recent: RecentRepositories;
  readonly jjFetch: JjFetch;
  readonly #options: HostOptions;
  #settings: Settings;
  #tools: readonly ToolView[] = [];
  #isolation: IsolationView = {
    kind: "none",
    summary: "looking for one",
    description: "Looking for a sandbox…",
    allowed: false,
  };
  /** `[sandbox] hosts` of the repository that is open. */
  #hosts: readonly string[] = [];
  #slowCommands: readonly SlowCommand[] = [];
  readonly #stopWatching: () => void;
  #open: OpenRepository | null = null;
  /** What is under way that closing waits for. */
  readonly #underWay: string[] = [];
  #prepared: Repository | null = null;
  #lock: RepositoryLock | null = null;
  #door: Door | null = null;
  #status: StatusWriter | null = null;
  #endpoint: { close(): Promise<void> } | null = null;
  /** Opening, adopting and closing follow one another. */
  #turn: Promise<unknown> = Promise.resolve();
  #background: Promise<void> = Promise.resolve();
  #warning: string | null;

  private constructor(
    options: HostOptions,
    parts: HostParts<HostState>,
    stateFolder: string,
    read: { settings: Settings; warning: string | null },
    recent: RecentRepositories,
  ) {
    this.#options = options;
    this.parts = parts;
    this.stateFolder = stateFolder;
    this.#settings = read.settings;
    this.#warning = read.warning;
    this.recent = recent;
    this.key = new ApiKey(options.keychain);
    this.rehearsalDrivers = new RehearsalDrivers(parts.rehearsals, options.rehearsalPace ?? 0);
    this.jjFetch = new JjFetch(
      parts.installJj,
      () => this.publishApp(),
      () => this.inspectTools(),
    );
    this.log = new EventLog({ snapshot: () => this.#snapshot() });
    this.#stopWatching = watchSlowCommands((slow) => {
      this.#slowCommands = slow;
      this.publishApp();
    });
  }

  static async create(options: HostOptions, parts: HostParts<HostState>): Promise<HostState> {
    const stateFolder = options.stateFolder ?? defaultStateFolder();
    const [read, recent] = await Promise.all([
      readSettings(stateFolder),
      RecentRepositories.read(stateFolder),
    ]);
    const state = new HostState(options, parts, stateFolder, read, recent);
    await state.key.load();
    // Programs are looked at in the background: nobody should wait for a version before seeing a graph.
    state.#background = state
      .#whileUnderWay("the versions of programs", () =>
        Promise.all([state.inspectTools(), state.#inspectSandbox()]),
      )
      .then(
        () => undefined,
        (error: unknown) => state.publish(noticeOf("The machine's programs could not be looked at", error)),
      );
    return state;
  }

  readonly publish = (event: HostEvent): void => this.log.publish(event);

  app(): AppView {
    return {
      version: this.#options.version,
      shell: this.#options.shell,
      platform: process.platform,
      isolation: this.#isolation,
      key: this.key.view(),
      tools: this.#tools,
      jjFetch: this.jjFetch.view(),
      slowCommands: this.#slowCommands,
      recent: this.recent.list(),
      rehearsals: this.parts.rehearsals.list(),
      nativeDialog: this.#options.pickFolder !== undefined,
      showsFolders: this.#options.showFolder !== undefined,
      settings: this.#settings,
    };
  }

  publishApp(): void {
    this.publish({ kind: "app", app: this.app() });
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** The open repository, or `NotOpen`. */
  opened(): OpenRepository {
    if (!this.#open) throw new NotOpen();
    return this.#open;
  }

  get openedPath(): string | null {
    return this.#open?.repository.root ?? null;
  }

  /** The open repository's engine, for everything that changes something. */
  engine(): Engine {
    const { engine } = this.opened();
    if (!engine) {
      throw new Refusal(
        "Another Hox works on this repository; here it can only be looked at.",
        "Take over here (in a terminal: --take-over), or use the other one.",
      );
    }
    return engine;
  }

  /** What closing waits for. */
  ending(): Ending {
    const run = this.#open?.engine?.state().run;
    return {
      saving:
        !run || run.endedAt !== null
          ? []
          : run.workers.filter(({ workspace }) => workspace !== null).map(({ name }) => name),
      waitsFor: this.#underWay.at(-1) ?? null,
    };
  }

  async pickFolder(): Promise<string | null> {
    if (!this.#options.pickFolder) {
      throw new Refusal("This shell has no folder dialog of the system.", "Choose the folder in the list.");
    }
    return this.#options.pickFolder();
  }

  /** The folder is asked of the engine and not of the page, so that no page can have anything else opened. */
  async showHands(worker: string): Promise<void> {
    if (!this.#options.showFolder)
      throw new Refusal("This shell cannot show a folder.", "Copy the path and open it yourself.");
    const { folder } = await this.engine().execute("run.lookAtHands", { worker });
    await this.#options.showFolder(folder);
  }

  async changeSettings(patch: Partial<Settings>): Promise<void> {
    const settings = { ...this.#settings, ...patch };
    await writeSettings(this.stateFolder, settings);
    this.#settings = settings;
    this.#warning = null;
    if (patch.allowUnsandboxed !== undefined) await this.#inspectSandbox();
    this.publishApp();
  }

  async inspectTools(): Promise<readonly ToolView[]> {
    this.#tools = await this.parts.inspectTools();
    this.publishApp();
    return this.#tools;
  }

  /** What a folder is. A repository is opened on the way, for it is what will be asked for next. */
  async inspect(path: string): Promise<FolderView> {
    const folder = absolutePath(path);
    if (existsSync(join(folder, ".jj"))) {
      try {
        const repository = await this.parts.openRepository(folder);
        await this.#prepared?.close();
        this.#prepared = repository;
        return { kind: "jj", root: repository.root };
      } catch {
        // What is wrong with it is said in more words by the inspection.
      }
    }
    return this.parts.inspectFolder(folder);
  }

  async #takePrepared(root: string): Promise<Repository> {
    const prepared = this.#prepared;
    if (prepared?.root !== root) return this.parts.openRepository(root);
    this.#prepared = null;
    return prepared;
  }

  open(path: string): Promise<void> {
    return this.#whileUnderWay("a repository to be opened", () =>
      this.#inTurn(() => this.#openFolder(absolutePath(path))),
    );
  }

  /** Makes the folder a jj repository first. Only after the user's yes. */
  adopt(path: string): Promise<void> {
    return this.#inTurn(async () => {
      const folder = await this.parts.inspectFolder(absolutePath(path));
      let words: readonly string[] = [];
      if (folder.kind === "git") {
        if (!folder.canAdopt) {
          throw new Refusal(
            folder.reason ?? `${folder.root} cannot be made a jj repository.`,
            "Mend that, or clone it with `jj git clone`.",
          );
        }
        words = await this.parts.initBesideGit(folder.root);
      } else if (folder.kind === "plain") words = await this.parts.initPlain(folder.root);
      await this.#openFolder(folder.root);
      for (const text of words) this.publish({ kind: "notice", level: "info", text, remedy: null });
    });
  }

  /**
   * Works here on the open repository, after the host that did so has saved everything and let go. One that has ended
   * is no hindrance; one that lives and says nothing is, because two would start every agent twice.
   */
  takeOver(): Promise<void> {
    return this.#inTurn(async () => {
      const open = this.opened();
      if (open.engine) return;
      const { root } = open.repository;
      const stateFolder = repositoryStateFolder(this.stateFolder, root);
      for (let isSecond = false; ; isSecond = true) {
        await this.#askFor(stateFolder);
        await this.#replace(root);
        const { heldBy } = this.opened().view();
        if (heldBy === undefined) return;
        // Whoever this one has just made way for was not there yet when it was looked for.
        if (isSecond) throw new StillHeld(heldBy);
      }
    });
  }

  /** Resolves when the host that holds a repository has let go, or has ended. */
  async #askFor(stateFolder: string): Promise<void> {
    if (!isLocked(stateFolder)) {
      const text = "The Hox that worked on this repository has ended. Its run goes on here.";
      this.publish({ kind: "notice", level: "info", text, remedy: null });
      return;
    }
    const holder = await holderToAsk(stateFolder);
    const free = holder?.door ? await knock(holder.door, `process ${process.pid}`) : false;
    if (!free && isLocked(stateFolder)) throw new StillHeld(nameOf(holder));
  }

  closeRepository(): Promise<void> {
    return this.#inTurn(() => this.#closeRepository());
  }

  async close(): Promise<void> {
    await this.jjFetch.close();
    await this.#inTurn(() => this.#closeRepository());
    await this.#prepared?.close();
    await this.#background;
    await this.rehearsalDrivers.close();
    this.#stopWatching();
    this.log.close();
  }

  async #whileUnderWay<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.#underWay.push(what);
    try {
      return await work();
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(what), 1);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #openFolder(path: string): Promise<void> {
    const root = existsSync(join(path, ".jj")) ? path : await this.#jjRoot(path);
    // Whatever is wrong with it is found before the one that is open is closed.
    const repository = await this.#takePrepared(root);
    if (this.#open?.repository.root === repository.root) return repository.close();
    this.publish({ kind: "repository-opening", path: repository.root, step: "Reading the graph" });
    await this.#closeRepository();
    await this.#openOrNone(repository);
    await this.recent.add(repository.root, Date.now());
    this.publishApp();
    if (this.#warning) this.publish({ kind: "notice", level: "warning", text: this.#warning, remedy: null });
  }

  async #openOrNone(repository: Repository, takenBy?: string): Promise<void> {
    try {
      await this.#openRepository(repository, takenBy);
    } catch (error) {
      await this.#closeRepository();
      this.publish({ kind: "repository", repository: null });
      throw error;
    }
  }

  /** Opens what is open anew: whose it is has changed. */
  async #replace(root: string, takenBy?: string, free: () => void = () => undefined): Promise<void> {
    const repository = await this.parts.openRepository(root);
    // Nobody sees it go: the next thing on screen is the same repository.
    await this.#closeRepository({ quietly: true });
    free();
    await this.#openOrNone(repository, takenBy);
  }

  /** Saves everything, says when the repository is free, and looks on from then. */
  #letGo(by: string): Promise<void> {
    return new Promise((free, reject) => {
      this.#inTurn(async () => {
        const root = this.openedPath;
        if (root === null) return free();
        try {
          await this.#replace(root, `${by}, which took over at ${new Date().toISOString()}`, free);
        } catch (error) {
          // Where it is gone nobody can look on; whoever asked for it gets it all the same.
          await this.#closeRepository();
          free();
          this.publish(noticeOf(`This repository was taken over by ${by} and cannot be shown here`, error));
          return;
        }
        this.publish({
          kind: "notice",
          level: "warning",
          text: `This repository was taken over by ${by}. Everything was saved, and the run goes on there.`,
          remedy: "Take over here to work on it again.",
        });
      }).catch((error: unknown) => {
        this.publish(noticeOf("The repository could not be handed over", error));
        reject(error);
      });
    });
  }

  /** The jj repository that a folder lies in, or a refusal that says what the folder is instead. */
  async #jjRoot(path: string): Promise<string> {
    const folder = await this.parts.inspectFolder(path);
    switch (folder.kind) {
      case "jj":
        return folder.root;
      case "git":
        throw new Refusal(
          `${folder.root} is a Git repository without jj.`,
          folder.canAdopt
            ? "Hox can make it a jj repository beside Git (in a terminal: `hox init`); Git goes on working, and nothing is done without your yes."
            : (folder.reason ?? "Clone it with `jj git clone`."),
        );
      case "plain":
        throw new Refusal(
          `${folder.root} is not a repository.`,
          "Hox can make it one (in a terminal: `hox init`), or open another folder.",
        );
      default:
        throw new Refusal(folder.reason, folder.remedy);
    }
  }

  /** @param takenBy another host that this one has just made way for */
  async #openRepository(repository: Repository, takenBy?: string): Promise<void> {
    const { root } = repository;
    const stateFolder = repositoryStateFolder(this.stateFolder, root);
    const answer =
      takenBy === undefined ? lockRepository(stateFolder) : { held: false as const, by: takenBy };
    if (answer.held) {
      this.#lock = answer.lock;
      this.#door = await openDoor((by) => this.#letGo(by));
      answer.lock.announce(this.#door);
    }
    const engine = answer.held ? this.#startEngine(repository, stateFolder) : Promise.resolve(null);
    await OpenRepository.open({
      repository,
      engine,
      rehearsal: rehearsalOf(this.stateFolder, root),
      heldBy: answer.held ? null : answer.by,
      publish: this.publish,
      onOpen: (open) => {
        this.#open = open;
      },
    }).catch(async (error: unknown) => {
      // Once it is there, closing it closes both.
      if (!this.#open) {
        const started = await engine.catch(() => null);
        await started?.close();
        await repository.close();
      }
      throw error;
    });
    const started = this.#open?.engine;
    if (!started) return;
    const status = new StatusWriter(stateFolder, () => {
      const { run, inbox } = started.state();
      return { run, inbox };
    });
    this.#status = status;
    try {
      this.#endpoint = (await this.parts.openEndpoint?.(this, stateFolder)) ?? null;
    } catch (error) {
      // The window steers as well; a terminal says that it finds no door.
      this.publish(noticeOf("Terminals cannot steer this run", error));
    }
    status.changed();
    started.listen((event) => {
      if (event.kind === "run" || event.kind === "inbox") status.changed();
    });
  }

  /** Nice to have, and nobody waits for it. */
  #removeOldLogs(folder: string): void {
    removeOldLogs(folder, Date.now()).catch((error: unknown) =>
      this.publish(noticeOf("Old logs of commands could not be removed", error)),
    );
  }

  #startEngine(repository: Repository, stateFolder: string): Promise<Engine> {
    this.#removeOldLogs(join(stateFolder, "logs"));
    return this.parts.createEngine({
      repository,
      stateFolder,
      sharedFolder: this.stateFolder,
      settings: () => this.#settings,
      driverFor: async ({ rehearsal, apiKeyEnv }) => {
        if (rehearsal !== null) return this.rehearsalDrivers.driver(rehearsal);
        this.key.readFrom(apiKeyEnv);
        this.publishApp();
        return this.parts.createDriver({ apiKey: this.key.get(), baseUrl: this.key.baseUrl });
      },
      sandbox: async (config) => {
        const sandbox = await this.parts.createSandbox({
          allowUnsandboxed: this.#settings.allowUnsandboxed,
          protectedFiles: config.protectedFiles,
          hosts: config.sandbox.hosts,
          repository: repository.root,
          readable: [sharedHistoryFolder(stateFolder)],
          secrets: this.key.secrets(),
          logFolder: join(stateFolder, "logs"),
        });
        this.#tellIsolation(sandbox.isolation);
        return sandbox;
      },
      inForce: ({ sandbox }) => this.#followHosts(sandbox.hosts),
      secrets: () => this.key.secrets(),
      allowUnsandboxed: () => this.changeSettings({ allowUnsandboxed: true }),
      now: Date.now,
      newId: randomUUID,
    });
  }

  async #closeRepository({ quietly = false } = {}): Promise<void> {
    const open = this.#open;
    this.#open = null;
    try {
      await this.#endpoint?.close();
      this.#endpoint = null;
      await this.#status?.close();
      this.#status = null;
      if (open) {
        await open
          .close()
          .catch((error: unknown) =>
            this.publish(
              noticeOf(
                "Not everything could be saved; it stays where it is and is saved at the next start",
                error,
              ),
            ),
          );
        this.#followHosts([]);
        if (!quietly) this.publish({ kind: "repository", repository: null });
      }
    } finally {
      this.#door?.close();
      this.#door = null;
      this.#lock?.release();
      this.#lock = null;
    }
  }

  /** As it is in force for the repository that is open. */
  #tellIsolation({ kind, summary, description, allowed }: IsolationView): void {
    if (this.#isolation.description === description && this.#isolation.kind === kind) return;
    this.#isolation = { kind, summary, description, allowed };
    this.publishApp();
  }

  /** What commands of the repository that is open may reach. */
  #followHosts(hosts: readonly string[]): void {
    if (JSON.stringify(hosts) === JSON.stringify(this.#hosts)) return;
    this.#hosts = hosts;
    this.#inspectSandbox().catch((error: unknown) =>
      this.publish(noticeOf("The sandbox could not be looked at", error)),
    );
  }

  async #inspectSandbox(): Promise<void> {
    const hosts = this.#hosts;
    const { isolation } = await this.parts.createSandbox({
      allowUnsandboxed: this.#settings.allowUnsandboxed,
      hosts,
    });
    // Another repository may have been opened meanwhile.
    if (hosts === this.#hosts) this.#tellIsolation(isolation);
  }

  #snapshot(): readonly HostEvent[] {
    const open = this.#open;
    return [
      { kind: "snapshot", app: this.app(), repository: open?.state() ?? null },
      ...(open?.parts() ?? []),
    ];
  }
}

/** Taking over would make two hosts of one. */
class StillHeld extends Refusal {
  constructor(by: string) {
    super(
      `The Hox that works here (${by}) lives and does not let go.`,
      "Close it; where it hangs, end that process. Then take over again: what it saved goes on here.",
    );
  }
}
