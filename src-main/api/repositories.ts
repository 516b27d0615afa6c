import { existsSync } from "node:fs";
import { join } from "node:path";
import { createSerial } from "#shared/async/serial.ts";
import type { FolderView } from "#shared/contract/commands/app.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import { initInGitRepository, initPlain } from "../jj/init.ts";
import { openRepository } from "../jj/open.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import type { EventLog } from "./event-log.ts";
import { absolutePath, folderView } from "./folders.ts";
import {
  createOpenSessions,
  type OpenSession,
  type OpenSessions,
  type OpenSessionsOptions,
} from "./open-sessions.ts";
import { NotOpen, noticeOf, Refusal } from "./refusal.ts";
import { askForRepository, StillLocked } from "./repository-lock.ts";
import { createViewers, type Line, type Viewers } from "./viewers.ts";

interface RepositoriesOptions
  extends Pick<OpenSessionsOptions, "stateFolderOf" | "rehearsalOf" | "startEngine" | "openEndpoint"> {
  /** Of a repository that is open, or (null) of the windows that show none. */
  readonly createLog: (root: string | null) => EventLog;
  /** The user has opened it, or switched to it. */
  readonly opened: (root: string) => Promise<void>;
  /** It is open no more. */
  readonly closed: (root: string) => void;
  /** The open repositories or their status may have changed. */
  readonly changed: () => void;
}

/** For windows that show no repository: they wait for none either. */
const noRepository: HostEvent = { kind: "repository", repository: null };

/**
 * Which repositories are open, and which of them each window shows. Opening one closes no other that has
 * active work. Opening, adopting, taking over and closing run one after another.
 */
export class Repositories {
  readonly #options: RepositoriesOptions;
  readonly #serial = createSerial();
  /** Of the windows that show none. */
  readonly #withoutRepository: EventLog;
  readonly #sessions: OpenSessions;
  readonly #viewers: Viewers;
  /** The repository that was looked at last, kept open because it is what will be asked for next. */
  #prepared: Repository | null = null;

  constructor(options: RepositoriesOptions) {
    this.#options = options;
    this.#withoutRepository = options.createLog(null);
    this.#sessions = createOpenSessions({
      ...options,
      isShown: (root) => this.#viewers.isShown(root),
      release: (root, by) => this.#release(root, by),
      notifyElsewhere: (root, event) => {
        const own = this.#sessions.get(root);
        const notice = { ...event, text: `${own?.name ?? root}: ${event.text}`, repository: root };
        for (const log of this.#logs()) if (log !== own?.log) log.publish(notice);
      },
      closed: (root, isQuiet) => {
        const after = this.#withoutRepository.last;
        options.closed(root);
        if (isQuiet) return;
        this.#withoutRepository.publish(noRepository);
        this.#viewers.leave(root, after);
      },
    });
    this.#viewers = createViewers({
      latest: () => this.#sessions.latest()?.root ?? null,
      isOpen: (root) => this.#sessions.get(root) !== undefined,
      open: () => this.#sessions.list().map(({ root }) => root),
      logOf: (root) => this.#logOf(root),
    });
  }

  list(): readonly OpenSession[] {
    return this.#sessions.list();
  }

  get(root: string): OpenSession | undefined {
    return this.#sessions.get(root);
  }

  /** Root of the repository that a window shows, or null. */
  shownBy(line?: Line): string | null {
    return this.#viewers.shownBy(line);
  }

  watch(...given: Parameters<Viewers["watch"]>): ReturnType<Viewers["watch"]> {
    return this.#viewers.watch(...given);
  }

  /** Number of the newest event of what the host itself looks at. */
  last(): number {
    return this.#logOf(this.shownBy()).last;
  }

  /** To all windows. */
  publish(event: HostEvent): void {
    for (const log of this.#logs()) log.publish(event);
  }

  /** To each log what belongs there. @param eventOf gets the root of its repository, or null */
  publishEach(eventOf: (of: string | null) => HostEvent): void {
    this.#withoutRepository.publish(eventOf(null));
    for (const { root, log } of this.list()) log.publish(eventOf(root));
  }

  /** What a folder is. A repository is opened on the way, for it is what will be asked for next. */
  async inspect(path: string): Promise<FolderView> {
    const folder = absolutePath(path);
    if (existsSync(join(folder, ".jj"))) {
      try {
        const repository = await openRepository(folder);
        await this.#prepared?.close();
        this.#prepared = repository;
        return { kind: "jj", root: repository.root };
      } catch {
        // The inspection describes the problem.
      }
    }
    return folderView(folder);
  }

  /** @param line of the window that shows it then; left out: all of them. @returns its root */
  open(path: string, line?: Line): Promise<string> {
    return this.#inTurn(() => this.#openFolder(absolutePath(path), line));
  }

  /** Makes the folder a jj repository first. Only after the user's yes. */
  adopt(path: string, line?: Line): Promise<string> {
    return this.#inTurn(async () => {
      const { root, words } = await adoptFolder(absolutePath(path));
      const opened = await this.#openFolder(root, line);
      for (const text of words)
        this.get(opened)?.log.publish({ kind: "notice", level: "info", text, remedy: null });
      return opened;
    });
  }

  /** Takes over an open repository after its host has saved everything and released it. */
  takeOver(root: string): Promise<void> {
    return this.#inTurn(() => takeOver(this.#sessions, root));
  }

  /** Saves everything. Active work resumes when the repository is opened again. */
  closeRepository(root: string): Promise<void> {
    return this.#inTurn(() => this.#sessions.close(root));
  }

  /** All of them, for good. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      const ends = await Promise.allSettled(this.list().map(({ root }) => this.#sessions.close(root)));
      this.#withoutRepository.close();
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    });
    await this.#prepared?.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#serial.run("repository", work);
  }

  #logOf(root: string | null): EventLog {
    return (root === null ? null : this.get(root)?.log) ?? this.#withoutRepository;
  }

  #logs(): readonly EventLog[] {
    return [this.#withoutRepository, ...this.list().map(({ log }) => log)];
  }

  /** Opens a folder in a window, or without one in all. @returns its root */
  async #openFolder(path: string, line?: Line): Promise<string> {
    // Whatever is wrong with it is found before anything changes.
    const wanted = existsSync(join(path, ".jj")) ? path : await jjRootOf(path);
    const taken = this.#prepared?.root === wanted ? this.#prepared : null;
    if (taken) this.#prepared = null;
    const repository = taken ?? (await openRepository(wanted));
    const { root } = repository;
    const known = this.get(root);
    if (known) {
      await repository.close();
      this.#show(known, null, line);
    } else {
      // One that was moved is still open at its old place, and what is kept of it can be held only once.
      const stateFolder = this.#options.stateFolderOf(root);
      for (const other of this.list())
        if (other.stateFolder === stateFolder) await this.#sessions.close(other.root);
      await this.#openNew(repository, line);
    }
    await this.#options.opened(root);
    await this.#closeIdle();
    return root;
  }

  #show(session: OpenSession, after: number | null, line?: Line): () => void {
    this.#sessions.touch(session.root);
    session.see();
    return this.#viewers.show(session.root, after, line);
  }

  async #openNew(repository: Repository, line?: Line): Promise<void> {
    const isFirst = this.shownBy(line) === null;
    if (isFirst)
      this.#withoutRepository.publish({
        kind: "repository-opening",
        path: repository.root,
        step: "Reading the graph",
      });
    let takeBack = (): void => undefined;
    try {
      await this.#sessions.open(repository, (session) => {
        takeBack = this.#show(session, session.log.start, line);
      });
    } catch (error) {
      takeBack();
      throw error;
    } finally {
      if (isFirst) this.#withoutRepository.publish(noRepository);
    }
  }

  /** Closes repositories without a window and without active work. */
  async #closeIdle(): Promise<void> {
    const current = this.#sessions.latest()?.root;
    for (const { root, name, isKept } of this.list())
      if (root !== current && !this.#viewers.isShown(root) && !isKept())
        await this.#sessions
          .close(root)
          .catch((error: unknown) => this.publish(noticeOf(`${name} could not be closed cleanly`, error)));
  }

  /**
   * Releases a repository to another host: saves everything, reports that it is free, and reopens it read-only.
   */
  #release(root: string, by: string): Promise<void> {
    return new Promise((free, reject) => {
      this.#inTurn(async () => {
        const session = this.get(root);
        if (!session) return free();
        try {
          await this.#sessions.replace(root, `${by}, which took over at ${new Date().toISOString()}`, free);
        } catch (error) {
          // A folder that is gone cannot be reopened; the other host gets it all the same.
          await this.#sessions.close(root);
          free();
          const what = `${session.name} was taken over by ${by} and can't be shown here`;
          this.publish({ ...noticeOf(what, error), repository: root });
          return;
        }
        session.publish({
          kind: "notice",
          level: "warning",
          text: `Another Hox took over this repository (${by}). Everything was saved, and the run continues there.`,
          remedy: "To work on it here again, take over.",
        });
      }).catch((error: unknown) => {
        this.publish({ ...noticeOf("The repository could not be handed over", error), repository: root });
        reject(error);
      });
    });
  }
}

/** Works here on a repository, in place of the host that does so. */
async function takeOver(sessions: OpenSessions, root: string): Promise<void> {
  const session = sessions.get(root);
  const open = session?.shown();
  if (!session || !open) throw new NotOpen();
  if (open.engine) return;
  for (let isSecond = false; ; isSecond = true) {
    if ((await askForRepository(session.stateFolder)) === "ended")
      session.publish({
        kind: "notice",
        level: "info",
        text: "The Hox process that had this repository open has exited. Its run resumes here.",
        remedy: null,
      });
    await sessions.replace(root);
    const lockedBy = session.shown()?.view().lockedBy;
    if (lockedBy === undefined) return;
    // Whoever this one has just made way for was not there yet when it was looked for.
    if (isSecond) throw new StillLocked(lockedBy);
  }
}

/** Makes a folder a jj repository. Returns notes for the user about side effects. */
async function adoptFolder(
  path: string,
): Promise<{ readonly root: string; readonly words: readonly string[] }> {
  const folder = await folderView(path);
  const { root } = folder;
  if (folder.kind === "plain") return { root, words: await initPlain(root) };
  if (folder.kind !== "git") return { root, words: [] };
  if (!folder.canAdopt)
    throw new Refusal(
      folder.reason ?? `Can't make ${root} a jj repository.`,
      "Fix that, or clone it with `jj git clone`.",
    );
  return { root, words: await initInGitRepository(root) };
}

/** The jj repository that contains a folder, or a refusal that says what the folder is instead. */
async function jjRootOf(path: string): Promise<string> {
  const folder = await folderView(path);
  switch (folder.kind) {
    case "jj":
      return folder.root;
    case "git":
      throw new Refusal(
        `${folder.root} is a Git repository without jj.`,
        folder.canAdopt
          ? "Hox can add jj to it (in a terminal: `hox init`). Git keeps working, and Hox asks before it changes anything."
          : (folder.reason ?? "Clone it with `jj git clone`."),
      );
    case "plain":
      throw new Refusal(
        `${folder.root} is not a repository.`,
        "Hox can create one (in a terminal: `hox init`), or you can open another folder.",
      );
    default:
      throw new Refusal(folder.reason, folder.remedy);
  }
}
