import { existsSync } from "node:fs";
import { join } from "node:path";
import { createSerial } from "#shared/async/serial.ts";
import type { FolderView } from "#shared/contract/commands/app.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import type { Repository } from "../jj/repository-interface.ts";
import type { EventLog } from "./event-log.ts";
import { absolutePath } from "./folders.ts";
import type { HostParts } from "./host-parts.ts";
import { noticeOf } from "./notice-of.ts";
import {
  createOpenSessions,
  type OpenSession,
  type OpenSessions,
  type OpenSessionsOptions,
} from "./open-sessions.ts";
import { NotOpen, Refusal } from "./refusal.ts";
import { askForRepository, StillHeld } from "./repository-holder.ts";
import { createViewers, type Line, type Viewers } from "./viewers.ts";

export interface RepositoriesOptions
  extends Pick<OpenSessionsOptions, "stateFolderOf" | "rehearsalOf" | "startEngine" | "openEndpoint"> {
  readonly parts: Pick<HostParts, "inspectFolder" | "openRepository" | "initInGitRepository" | "initPlain">;
  /** Of a repository that is open, or (null) of the windows that show none. */
  readonly createLog: (root: string | null) => EventLog;
  /** The user has opened it, or switched to it. */
  readonly opened: (root: string) => Promise<void>;
  /** It is open no more. */
  readonly closed: (root: string) => void;
  /** The open repositories or their status may have changed. */
  readonly changed: () => void;
}

/**
 * Which repositories are open, and which of them each window shows. Opening one closes no other that has
 * active work. Opening, adopting, taking over and closing run one after another.
 */
export interface Repositories extends Pick<Viewers, "shownBy" | "watch"> {
  list(): readonly OpenSession[];
  get(root: string): OpenSession | undefined;
  /** What a folder is. A repository is opened on the way, for it is what will be asked for next. */
  inspect(path: string): Promise<FolderView>;
  /** @param line of the window that shows it then; left out: all of them. @returns its root */
  open(path: string, line?: Line): Promise<string>;
  /** Makes the folder a jj repository first. Only after the user's yes. */
  adopt(path: string, line?: Line): Promise<string>;
  /** Takes over an open repository after its host has saved everything and released it. */
  takeOver(root: string): Promise<void>;
  /** Saves everything. Active work resumes when the repository is opened again. */
  closeRepository(root: string): Promise<void>;
  /** Number of the newest event of what the host itself looks at. */
  last(): number;
  /** To all windows. */
  publish(event: HostEvent): void;
  /** To each log what belongs there. @param of the root of its repository, or null */
  publishEach(eventOf: (of: string | null) => HostEvent): void;
  /** All of them, for good. */
  close(): Promise<void>;
}

interface LetGoOptions {
  readonly sessions: OpenSessions;
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** To all windows. */
  readonly publish: (event: HostEvent) => void;
}

/**
 * Releases a repository to another host: saves everything, reports that it is free, and reopens it read-only.
 */
const createLetGo =
  ({ sessions, inTurn, publish }: LetGoOptions) =>
  (root: string, by: string): Promise<void> =>
    new Promise((free, reject) => {
      inTurn(async () => {
        const session = sessions.get(root);
        if (!session) return free();
        try {
          await sessions.replace(root, `${by}, which took over at ${new Date().toISOString()}`, free);
        } catch (error) {
          // A folder that is gone cannot be reopened; the other host gets it all the same.
          await sessions.close(root);
          free();
          publish(noticeOf(`${session.name} was taken over by ${by} and can't be shown here`, error));
          return;
        }
        session.publish(wasTakenOver(by));
      }).catch((error: unknown) => {
        publish(noticeOf("The repository could not be handed over", error));
        reject(error);
      });
    });

/** Works here on a repository, in place of the host that does so. */
async function takeOver(sessions: OpenSessions, root: string): Promise<void> {
  const session = sessions.get(root);
  const open = session?.shown();
  if (!session || !open) throw new NotOpen();
  if (open.engine) return;
  for (let isSecond = false; ; isSecond = true) {
    if ((await askForRepository(session.stateFolder)) === "ended") session.publish(hasEnded);
    await sessions.replace(root);
    const heldBy = session.shown()?.view().heldBy;
    if (heldBy === undefined) return;
    // Whoever this one has just made way for was not there yet when it was looked for.
    if (isSecond) throw new StillHeld(heldBy);
  }
}

const hasEnded: HostEvent = {
  kind: "notice",
  level: "info",
  text: "The Hox process that had this repository open has exited. Its run resumes here.",
  remedy: null,
};

const wasTakenOver = (by: string): HostEvent => ({
  kind: "notice",
  level: "warning",
  text: `${by} took over this repository. Everything was saved, and the run continues there.`,
  remedy: "To work on it here again, take over.",
});

export function createRepositories(options: RepositoriesOptions): Repositories {
  const { parts } = options;
  const serial = createSerial();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => serial.run("repository", work);
  const prepared = createPrepared(parts.openRepository);
  const withoutRepository = options.createLog(null);
  const sessions = createOpenSessions({
    ...options,
    openRepository: parts.openRepository,
    isShown: (root) => viewers.isShown(root),
    letGo: (root, by) => letGo(root, by),
    notifyElsewhere(root, event) {
      if (event.kind !== "notice") return;
      const notice = { ...event, text: `${sessions.get(root)?.name ?? root}: ${event.text}` };
      for (const log of logs()) if (log !== sessions.get(root)?.log) log.publish(notice);
    },
    closed(root, isQuiet) {
      const after = withoutRepository.last;
      options.closed(root);
      if (isQuiet) return;
      withoutRepository.publish(noRepository);
      viewers.leave(root, after);
    },
  });
  const viewers = createViewers({
    latest: () => sessions.latest()?.root ?? null,
    isOpen: (root) => sessions.get(root) !== undefined,
    logOf: (root) => logOf(root),
  });
  const logOf = (root: string | null): EventLog =>
    (root === null ? null : sessions.get(root)?.log) ?? withoutRepository;
  const logs = (): readonly EventLog[] => [withoutRepository, ...sessions.list().map(({ log }) => log)];
  const publish = (event: HostEvent): void => {
    for (const log of logs()) log.publish(event);
  };

  const openFolder = createFolderOpener({
    ...options,
    sessions,
    viewers,
    prepared,
    withoutRepository,
    publish,
  });
  const letGo = createLetGo({ sessions, inTurn, publish });

  return {
    list: sessions.list,
    get: sessions.get,
    shownBy: viewers.shownBy,
    watch: viewers.watch,
    last: () => logOf(viewers.shownBy()).last,
    publish,
    publishEach(eventOf) {
      withoutRepository.publish(eventOf(null));
      for (const { root, log } of sessions.list()) log.publish(eventOf(root));
    },
    inspect: (path) => prepared.inspect(absolutePath(path), parts.inspectFolder),
    open: (path, line) => inTurn(() => openFolder(absolutePath(path), line)),
    adopt: (path, line) =>
      inTurn(async () => {
        const { root, words } = await adoptFolder(parts, absolutePath(path));
        const opened = await openFolder(root, line);
        for (const text of words)
          sessions.get(opened)?.log.publish({ kind: "notice", level: "info", text, remedy: null });
        return opened;
      }),
    takeOver: (root) => inTurn(() => takeOver(sessions, root)),
    closeRepository: (root) => inTurn(() => sessions.close(root)),
    async close() {
      await inTurn(async () => {
        const ends = await Promise.allSettled(sessions.list().map(({ root }) => sessions.close(root)));
        withoutRepository.close();
        for (const end of ends) if (end.status === "rejected") throw end.reason;
      });
      await prepared.close();
    },
  };
}

/** The repository that was looked at last, kept open because it is what will be asked for next. */
function createPrepared(openRepository: (root: string) => Promise<Repository>) {
  let prepared: Repository | null = null;
  return {
    async inspect(folder: string, inspectFolder: HostParts["inspectFolder"]): Promise<FolderView> {
      if (existsSync(join(folder, ".jj"))) {
        try {
          const repository = await openRepository(folder);
          await prepared?.close();
          prepared = repository;
          return { kind: "jj", root: repository.root };
        } catch {
          // The inspection describes the problem.
        }
      }
      return inspectFolder(folder);
    },
    /** Opens it, or hands out the one that is open for that. */
    async take(root: string): Promise<Repository> {
      const taken = prepared;
      if (taken?.root !== root) return openRepository(root);
      prepared = null;
      return taken;
    },
    close: async () => prepared?.close(),
  };
}

type Prepared = ReturnType<typeof createPrepared>;

/** Makes a folder a jj repository. Returns notes for the user about side effects. */
async function adoptFolder(
  parts: Pick<HostParts, "inspectFolder" | "initInGitRepository" | "initPlain">,
  path: string,
): Promise<{ readonly root: string; readonly words: readonly string[] }> {
  const folder = await parts.inspectFolder(path);
  const { root } = folder;
  if (folder.kind === "plain") return { root, words: await parts.initPlain(root) };
  if (folder.kind !== "git") return { root, words: [] };
  if (!folder.canAdopt)
    throw new Refusal(
      folder.reason ?? `Can't make ${root} a jj repository.`,
      "Fix that, or clone it with `jj git clone`.",
    );
  return { root, words: await parts.initInGitRepository(root) };
}

/** The jj repository that contains a folder, or a refusal that says what the folder is instead. */
async function jjRootOf(parts: Pick<HostParts, "inspectFolder">, path: string): Promise<string> {
  const folder = await parts.inspectFolder(path);
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

/** The root of the repository that a folder is in; a refusal says what the folder is instead. */
const rootOfFolder = async (parts: Pick<HostParts, "inspectFolder">, path: string): Promise<string> =>
  existsSync(join(path, ".jj")) ? path : jjRootOf(parts, path);

interface FolderOpenerOptions {
  readonly parts: Pick<HostParts, "inspectFolder">;
  readonly stateFolderOf: (root: string) => string;
  readonly opened: (root: string) => Promise<void>;
  readonly sessions: OpenSessions;
  readonly viewers: Viewers;
  readonly prepared: Prepared;
  /** Of the windows that show none. */
  readonly withoutRepository: EventLog;
  /** To all windows. */
  readonly publish: (event: HostEvent) => void;
}

/** For windows that show no repository: they wait for none either. */
const noRepository: HostEvent = { kind: "repository", repository: null };

/** @returns what opens a folder in a window, or without one in all, and answers with its root */
function createFolderOpener(options: FolderOpenerOptions): (path: string, line?: Line) => Promise<string> {
  const { sessions, viewers } = options;
  const show = (session: OpenSession, after: number | null, line?: Line): (() => void) => {
    sessions.touch(session.root);
    session.see();
    return viewers.show(session.root, after, line);
  };

  const openNew = async (repository: Repository, line?: Line): Promise<void> => {
    const { root } = repository;
    const isFirst = viewers.shownBy(line) === null;
    const { withoutRepository } = options;
    if (isFirst)
      withoutRepository.publish({ kind: "repository-opening", path: root, step: "Reading the graph" });
    let takeBack = (): void => undefined;
    try {
      await sessions.open(repository, (session) => {
        takeBack = show(session, session.log.start, line);
      });
    } catch (error) {
      takeBack();
      throw error;
    } finally {
      if (isFirst) withoutRepository.publish(noRepository);
    }
  };

  return async (path, line) => {
    // Whatever is wrong with it is found before anything changes.
    const repository = await options.prepared.take(await rootOfFolder(options.parts, path));
    const { root } = repository;
    const known = sessions.get(root);
    if (known) {
      await repository.close();
      show(known, null, line);
    } else {
      // One that was moved is still open at its old place, and what is kept of it can be held only once.
      const stateFolder = options.stateFolderOf(root);
      for (const other of sessions.list())
        if (other.stateFolder === stateFolder) await sessions.close(other.root);
      await openNew(repository, line);
    }
    await options.opened(root);
    await closeIdle(options);
    return root;
  };
}

/** Closes repositories without a window and without active work. */
async function closeIdle({ sessions, viewers, publish }: FolderOpenerOptions): Promise<void> {
  const current = sessions.latest()?.root;
  for (const { root, name, isKept } of sessions.list())
    if (root !== current && !viewers.isShown(root) && !isKept())
      await sessions
        .close(root)
        .catch((error: unknown) => publish(noticeOf(`${name} could not be closed cleanly`, error)));
}
