import type { HostEvent } from "#shared/contract/events.ts";
import type { OpenRepositoryView } from "#shared/contract/views/open-repositories.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { Repository } from "../jj/repository-interface.ts";
import type { EventLog } from "./event-log.ts";
import type { OpenRepository } from "./open-repository.ts";
import { createSession, type RepositorySession } from "./repository-session.ts";
import { emptyStatus, hasEnded, type RepositoryStatus, statusAfter } from "./repository-standing.ts";

export interface OpenSessionsOptions {
  readonly openRepository: (root: string) => Promise<Repository>;
  readonly stateFolderOf: (root: string) => string;
  readonly rehearsalOf: (root: string) => string | null;
  readonly startEngine: (
    repository: Repository,
    stateFolder: string,
    publish: (event: HostEvent) => void,
  ) => Promise<Engine>;
  readonly openEndpoint:
    | ((root: string, stateFolder: string) => Promise<{ close(): Promise<void> }>)
    | undefined;
  /** The log of a repository that is opened. */
  readonly createLog: (root: string) => EventLog;
  /** Whether a window shows it. */
  readonly isShown: (root: string) => boolean;
  /** Saves everything and closes it for another host. */
  readonly letGo: (root: string, by: string) => Promise<void>;
  /** Whatever is said of one repository that nobody looks at is said to all. */
  readonly notifyElsewhere: (root: string, event: HostEvent) => void;
  /** Another one is open, or one stands otherwise. */
  readonly changed: () => void;
  /** It is open no more. @param isQuiet the next thing is the same repository */
  readonly closed: (root: string, isQuiet: boolean) => void;
}

/** One repository that is open in this host. */
export interface OpenSession {
  readonly root: string;
  readonly name: string;
  readonly stateFolder: string;
  readonly log: EventLog;
  /** To the windows that show it; to all where none does and it went wrong. */
  publish(event: HostEvent): void;
  /** Null until there is something to show, and from the beginning of its closing. */
  shown(): OpenRepository | null;
  view(): OpenRepositoryView;
  /** Whether closing it would cut something off, or take away how a run ended that nobody has seen. */
  isKept(): boolean;
  /** A window shows it. */
  see(): void;
}

/** The repositories that are open, each with its engine, its lock and its events. */
export interface OpenSessions {
  /** In the order in which they were opened or shown. */
  list(): readonly OpenSession[];
  get(root: string): OpenSession | undefined;
  /** The one that was opened or shown last. */
  latest(): OpenSession | null;
  /** Makes it the latest. */
  touch(root: string): void;
  /** @param shown called once, as soon as there is something to look at */
  open(repository: Repository, shown: (session: OpenSession) => void): Promise<void>;
  /** Opens what is open anew: whose it is has changed. @param takenBy another host that this one has just made way for */
  replace(root: string, takenBy?: string, free?: () => void): Promise<void>;
  close(root: string): Promise<void>;
}

export function createOpenSessions(options: OpenSessionsOptions): OpenSessions {
  const all = new Map<string, ReturnType<typeof createEntry>>();
  const touch = (root: string): void => {
    const entry = all.get(root);
    if (!entry) return;
    all.delete(root);
    all.set(root, entry);
  };
  const close = async (root: string): Promise<void> => {
    const entry = all.get(root);
    try {
      await entry?.end(false);
    } finally {
      all.delete(root);
      entry?.log.close();
      options.changed();
    }
  };
  return {
    list: () => [...all.values()],
    get: (root) => all.get(root),
    latest: () => [...all.values()].at(-1) ?? null,
    touch,
    async open(repository, shown) {
      const entry = createEntry(repository, options);
      all.set(entry.root, entry);
      try {
        await entry.begin(repository, undefined, () => shown(entry));
      } catch (error) {
        await close(entry.root);
        throw error;
      }
      options.changed();
    },
    async replace(root, takenBy, free = () => undefined) {
      const entry = all.get(root);
      if (!entry) return free();
      const repository = await options.openRepository(root);
      // Nobody sees it go: the next thing on screen is the same repository.
      await entry.end(true);
      free();
      try {
        await entry.begin(repository, takenBy);
      } catch (error) {
        await close(root);
        throw error;
      }
    },
    close,
  };
}

function createEntry({ root, name }: Repository, options: OpenSessionsOptions) {
  const stateFolder = options.stateFolderOf(root);
  const { openEndpoint } = options;
  const log = options.createLog(root);
  let session: RepositorySession | null = null;
  let status: RepositoryStatus = emptyStatus;
  let hasUnseenEnd = false;

  const publish = (event: HostEvent): void => {
    log.publish(event);
    const isSeen = options.isShown(root);
    if (event.kind === "notice" && event.level !== "info" && !isSeen) options.notifyElsewhere(root, event);
    const before = status;
    status = statusAfter(before, event);
    hasUnseenEnd ||= !isSeen && hasEnded(before, status);
    if (status !== before) options.changed();
  };
  const shown = (): OpenRepository | null => session?.shown() ?? null;

  return {
    ...{ root, name, stateFolder, log, publish, shown },
    view(): OpenRepositoryView {
      const heldBy = shown()?.view().heldBy;
      return { path: root, name, ...(heldBy === undefined ? {} : { heldBy }), ...status };
    },
    isKept: () => hasUnseenEnd || (shown()?.engine?.hasWork() ?? false),
    see(): void {
      hasUnseenEnd = false;
    },
    async begin(repository: Repository, takenBy: string | undefined, onShown = () => {}): Promise<void> {
      const begun = createSession({
        repository,
        stateFolder,
        rehearsal: options.rehearsalOf(root),
        takenBy,
        startEngine: () => options.startEngine(repository, stateFolder, publish),
        openEndpoint: openEndpoint && (() => openEndpoint(root, stateFolder)),
        letGo: (by) => options.letGo(root, by),
        onShown,
        publish,
        isShown: () => options.isShown(root),
      });
      session = begun;
      await begun.begin();
    },
    async end(isQuiet: boolean): Promise<void> {
      const closing = session;
      const wasShown = closing?.shown() != null;
      session = null;
      status = emptyStatus;
      try {
        await closing?.close();
      } finally {
        if (wasShown) options.closed(root, isQuiet);
      }
    },
  };
}
