import { createSerial } from "#shared/async/serial.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import type { FolderView } from "#shared/contract/views/folder.ts";
import type { EventLog } from "./event-log.ts";
import { adoptFolder, createPrepared } from "./folder-to-open.ts";
import { absolutePath } from "./folders.ts";
import type { HostParts } from "./host-parts.ts";
import { createLetGo, takeOver } from "./let-go.ts";
import { createFolderOpener, noRepository } from "./open-folder.ts";
import { createOpenSessions, type OpenSession, type OpenSessionsOptions } from "./open-sessions.ts";
import { createViewers, type Line, type Viewers } from "./viewers.ts";

export interface RepositoriesOptions
  extends Pick<OpenSessionsOptions, "stateFolderOf" | "rehearsalOf" | "startEngine" | "openEndpoint"> {
  readonly parts: Pick<HostParts, "inspectFolder" | "openRepository" | "initInGitRepository" | "initPlain">;
  /** Of a repository that is open, or (null) of the windows that show none. */
  readonly createLog: (root: string | null) => EventLog;
  /** A person has opened it, or gone to it. */
  readonly opened: (root: string) => Promise<void>;
  /** It is open no more. */
  readonly closed: (root: string) => void;
  /** What is open, or how it stands, may be another. */
  readonly changed: () => void;
}

/**
 * Which repositories are open, and which of them each window shows. Opening one takes nothing from another: one in which
 * something goes on stays open and goes on. Opening, adopting, taking over and closing follow one another.
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
  /** Works here on an open repository, after the host that did so has saved everything and let go. */
  takeOver(root: string): Promise<void>;
  /** Saves everything of it. What goes on there goes on when it is opened again. */
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
