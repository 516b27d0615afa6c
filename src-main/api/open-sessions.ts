import { isDeepStrictEqual } from "node:util";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import type { OpenRepositoryView, RunStatus, WaitingCard } from "#shared/contract/views/app.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { RunHead } from "#shared/run/view.ts";
import type { Engine } from "../engine/engine-interface.ts";
import { openRepository as openJjRepository } from "../jj/open.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import type { EventLog } from "./event-log.ts";
import { type OpenRepository, openRepository } from "./open-repository.ts";
import { noticeOf } from "./refusal.ts";
import { type Acquired, acquireRepository } from "./repository-lock.ts";
import { keepStatusFile, type StatusFileKeeper } from "./status-file.ts";

export interface OpenSessionsOptions {
  readonly stateFolderOf: (root: string) => string;
  readonly rehearsalOf: (root: string) => string | null;
  readonly startEngine: (
    repository: Repository,
    stateFolder: string,
    publish: (event: HostEvent) => void,
  ) => Promise<Engine>;
  /** Lets terminals control the runs of one open repository. */
  readonly openEndpoint: (root: string, stateFolder: string) => Promise<{ close(): Promise<void> }>;
  /** The log of a repository that is opened. */
  readonly createLog: (root: string) => EventLog;
  /** Whether a window shows it. */
  readonly isShown: (root: string) => boolean;
  /** Saves everything and closes it for another host. */
  readonly release: (root: string, by: string) => Promise<void>;
  /** Publishes a notice of a repository that no window shows to all windows. */
  readonly notifyElsewhere: (root: string, notice: Extract<HostEvent, { kind: "notice" }>) => void;
  /** Another repository is open, or one changed its status. */
  readonly changed: () => void;
  /** It is open no more. @param isQuiet the next thing is the same repository */
  readonly closed: (root: string, isQuiet: boolean) => void;
}

/** One repository that is open in this host. */
export type OpenSession = ReturnType<typeof createEntry>;
export type OpenSessions = ReturnType<typeof createOpenSessions>;

/** The repositories that are open, each with its engine, its lock and its events. */
export function createOpenSessions(options: OpenSessionsOptions) {
  const all = new Map<string, OpenSession>();
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
    /** In the order in which they were opened or shown. */
    list: (): readonly OpenSession[] => [...all.values()],
    get: (root: string) => all.get(root),
    /** The one that was opened or shown last. */
    latest: () => [...all.values()].at(-1) ?? null,
    /** Makes it the latest. */
    touch,
    /** @param shown called once, as soon as there is something to look at */
    async open(repository: Repository, shown: (session: OpenSession) => void): Promise<void> {
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
    /** Reopens it after its owner has changed. @param takenBy another host to which this one has released it */
    async replace(root: string, takenBy?: string, free: () => void = () => undefined): Promise<void> {
      const entry = all.get(root);
      if (!entry) return free();
      const repository = await openJjRepository(root);
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
  const log = options.createLog(root);
  let session: ReturnType<typeof createSession> | null = null;
  let status: RepositoryStatus = emptyStatus;
  let hasUnseenEnd = false;

  const publish = (event: HostEvent): void => {
    log.publish(event);
    const isSeen = options.isShown(root);
    if (event.kind === "notice" && event.level !== "info" && !isSeen) options.notifyElsewhere(root, event);
    const before = status;
    status = statusAfter(before, event, session?.shown()?.engine ?? null);
    hasUnseenEnd ||= !isSeen && hasEnded(before, status);
    if (status !== before) options.changed();
  };
  const shown = (): OpenRepository | null => session?.shown() ?? null;

  return {
    root,
    name,
    stateFolder,
    log,
    /** To the windows that show it; to all where none does and it went wrong. */
    publish,
    /** Null until there is something to show, and from the beginning of its closing. */
    shown,
    view(): OpenRepositoryView {
      const lockedBy = shown()?.view().lockedBy;
      return { path: root, name, ...(lockedBy === undefined ? {} : { lockedBy }), ...status };
    },
    /** Whether closing it would interrupt work, or hide a run's result that the user has not seen. */
    isKept: () => hasUnseenEnd || (shown()?.engine?.hasWork() ?? false),
    /** A window shows it. */
    see(): void {
      hasUnseenEnd = false;
    },
    async begin(repository: Repository, takenBy: string | undefined, onShown = () => {}): Promise<void> {
      const begun = createSession({ repository, stateFolder, takenBy, onShown, publish }, options);
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

interface SessionOptions {
  readonly repository: Repository;
  /** Of the repository. */
  readonly stateFolder: string;
  /** Another host that this one has just made way for. */
  readonly takenBy: string | undefined;
  /** Called once, as soon as there is something to show and before its first event. */
  readonly onShown: () => void;
  readonly publish: (event: HostEvent) => void;
}

/** One repository from its opening to its closing: who holds it, its engine, and by what others reach it. */
function createSession(
  { repository, stateFolder, takenBy, onShown, publish }: SessionOptions,
  options: OpenSessionsOptions,
) {
  const { root } = repository;
  let open: OpenRepository | null = null;
  let acquired: Acquired | null = null;
  let status: StatusFileKeeper | null = null;
  let endpoint: { close(): Promise<void> } | null = null;

  const show = async (lock: Acquired): Promise<void> => {
    const engine = lock.isOwned
      ? options.startEngine(repository, stateFolder, publish)
      : Promise.resolve(null);
    try {
      await openRepository({
        repository,
        engine,
        rehearsal: options.rehearsalOf(root),
        lockedBy: lock.isOwned ? null : lock.by,
        publish,
        isShown: () => options.isShown(root),
        onOpen(opened) {
          open = opened;
          onShown();
        },
      });
    } catch (error) {
      // Once it is there, closing it closes both.
      if (!open) {
        const started = await engine.catch(() => null);
        await started?.close();
        await repository.close();
      }
      throw error;
    }
  };

  return {
    shown: () => open,
    /** Resolves when its graph has been read. Where it rejects, it has to be closed all the same. */
    async begin(): Promise<void> {
      acquired =
        takenBy === undefined
          ? await acquireRepository(stateFolder, (by) => options.release(root, by))
          : { isOwned: false, by: takenBy };
      await show(acquired);
      const engine = open?.engine;
      if (!engine) return;
      status = keepStatusFile(engine, stateFolder);
      try {
        endpoint = await options.openEndpoint(root, stateFolder);
      } catch (error) {
        // The window steers as well; a terminal says that it finds no door.
        publish(noticeOf("Terminals can't control this run", error));
      }
      status.follow();
    },
    /** Saves everything and releases the repository. */
    async close(): Promise<void> {
      const closing = open;
      open = null;
      try {
        await endpoint?.close();
        await status?.close();
        await closing
          ?.close()
          .catch((error: unknown) =>
            publish(noticeOf("Not everything could be saved. The rest is saved at the next start", error)),
          );
      } finally {
        if (acquired?.isOwned) acquired.release();
      }
    },
  };
}

/** Summary of a repository's runs for windows that do not show it. */
type RepositoryStatus = Pick<OpenRepositoryView, "runs" | "waiting">;

const emptyStatus: RepositoryStatus = { runs: [], waiting: [] };

const maxCharacters = 200;

/** How a repository stands after one of its events; the same object where nothing that is shown of it changed. */
function statusAfter(
  before: RepositoryStatus,
  event: HostEvent,
  engine: Pick<Engine, "heads" | "inbox"> | null,
): RepositoryStatus {
  if (event.kind === "repository" && event.repository === null) return emptyStatus;
  if (engine === null || !statusEvents.has(event.kind)) return before;
  const status: RepositoryStatus = {
    runs: engine
      .heads()
      .map(runStatus)
      .toSorted((one, other) => Number(isOver(other)) - Number(isOver(one))),
    waiting: waitingIn(engine.inbox()),
  };
  return isDeepStrictEqual(status, before) ? before : status;
}

const statusEvents: ReadonlySet<HostEvent["kind"]> = new Set(["repository", "run", "run-update", "inbox"]);

/** Whether a run ended by this event. */
const hasEnded = (before: RepositoryStatus, after: RepositoryStatus): boolean =>
  after.runs.some((run) => isOver(run) && before.runs.some((one) => one.id === run.id && !isOver(one)));

const isOver = ({ endedAt }: RunStatus): boolean => endedAt !== null;

const runStatus = (run: RunHead): RunStatus => ({
  id: run.id,
  goal: startOf(run.goal, maxCharacters),
  stage: run.stage,
  phase: run.phase,
  phaseTitle: run.planApproved
    ? (run.plan?.phases.find(({ number }) => number === run.phase)?.title ?? null)
    : null,
  paused: run.paused,
  endedAt: run.endedAt,
  endedBy: run.endedBy,
  landed: run.landed,
  failure: run.failure,
});

/** Only cards that block work are waiting. */
const waitingIn = (items: readonly InboxItem[]): readonly WaitingCard[] =>
  items
    .filter((item) => kindOfCard(item).isInert !== true)
    .map((item) => {
      const kind = kindOfCard(item);
      const headline = startOf(kind.headline(item), maxCharacters);
      return { id: item.id, run: item.run, title: kind.title, headline };
    });
