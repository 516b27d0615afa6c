import type { NumberedEvent } from "#shared/contract/events.ts";
import type { EventLog } from "./event-log.ts";

/** A connection of a window. Left out wherever one is asked for: the host's own eyes, as of a command that is its own client. */
export type Line = object;

interface WatchFrom {
  readonly since: number | null;
  /** What a window showed when its connection was another one. */
  readonly repository?: string | undefined;
  /** Which repositories its person may look at. Left out: all. */
  readonly maySee?: (root: string) => boolean;
}

interface ViewersOptions {
  /** Root of the repository that was opened or shown last, or null. */
  readonly latest: () => string | null;
  readonly isOpen: (root: string) => boolean;
  /** Roots of all that are open, the latest last. */
  readonly open: () => readonly string[];
  /** Of a repository that is open, or of those who show none. */
  readonly logOf: (root: string | null) => EventLog;
}

interface Viewer {
  /** Undefined before its first request: then it is the latest. */
  root: string | null | undefined;
  /** The number after which its stream continues. */
  after: number | null;
  maySee: (root: string) => boolean;
  /** Ends the reading of the log that it does not show any more. */
  readonly readings: Set<AbortController>;
}

export type Viewers = ReturnType<typeof createViewers>;

/** Which repository each window shows. A window's stream continues with what it shows now. */
export function createViewers({ latest, open, isOpen, logOf }: ViewersOptions) {
  const own = newViewer();
  const known = new WeakMap<Line, Viewer>();
  const listening = new Map<Viewer, number>();

  const of = (line: Line | undefined): Viewer => {
    if (line === undefined) return own;
    const viewer = known.get(line) ?? newViewer();
    known.set(line, viewer);
    return viewer;
  };
  const rootOf = ({ root }: Viewer): string | null => (root === undefined ? latest() : root);
  const move = (viewer: Viewer, root: string | null, after: number | null): void => {
    viewer.root = root;
    viewer.after = after;
    for (const reading of viewer.readings) reading.abort();
  };
  const everybody = (): readonly Viewer[] => [own, ...listening.keys()];

  /** A reconnected window continues with what it showed. */
  const begin = (viewer: Viewer, { since, repository, maySee = () => true }: WatchFrom): void => {
    viewer.maySee = maySee;
    if (viewer.root !== undefined) return;
    const first = latest();
    if (repository !== undefined && isOpen(repository) && maySee(repository)) viewer.root = repository;
    else if (since !== null && logOf(null).goesOnAfter(since)) viewer.root = null;
    else viewer.root = first === null || maySee(first) ? first : (open().findLast(maySee) ?? null);
  };

  return {
    /** Root of the repository that a window shows, or null. */
    shownBy: (line?: Line): string | null => rootOf(of(line)),
    /** Whether a window that listens shows this repository. */
    isShown: (root: string): boolean =>
      [...listening.keys()].some((viewer) => viewer !== own && rootOf(viewer) === root),
    /**
     * Lets a window show a repository; without a window all of them.
     * @param after the number in the repository's log to continue after; null: with a snapshot
     * @returns undoes it for windows that still show it
     */
    show(root: string, after: number | null, line?: Line): () => void {
      const moved = (line === undefined ? everybody() : [of(line)])
        .filter((viewer) => viewer.root !== root && viewer.maySee(root))
        .map((viewer) => ({ viewer, before: rootOf(viewer) }));
      for (const { viewer } of moved) move(viewer, root, after);
      return () => {
        // Where it was closed meanwhile they show none.
        for (const { viewer, before } of moved)
          if (viewer.root === root || viewer.root === null)
            move(viewer, before !== null && isOpen(before) ? before : null, null);
      };
    },
    /** Whoever shows this repository shows none from now on. @param after in the log of those who show none */
    leave(root: string, after: number): void {
      for (const viewer of everybody()) if (viewer.root === root) move(viewer, null, after);
    },
    async *watch(
      line: Line | undefined,
      from: WatchFrom,
      signal?: AbortSignal,
    ): AsyncGenerator<NumberedEvent, void, void> {
      const viewer = of(line);
      begin(viewer, from);
      listening.set(viewer, (listening.get(viewer) ?? 0) + 1);
      try {
        yield* follow(viewer, from.since, logOf, signal);
      } finally {
        const left = (listening.get(viewer) ?? 1) - 1;
        if (left > 0) listening.set(viewer, left);
        else listening.delete(viewer);
      }
    },
  };
}

/** Reads the log of what a window shows, and where that becomes another one the log of that. */
async function* follow(
  viewer: Viewer,
  since: number | null,
  logOf: ViewersOptions["logOf"],
  signal?: AbortSignal,
): AsyncGenerator<NumberedEvent, void, void> {
  let reading = new AbortController();
  const stop = (): void => reading.abort();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for (let after = since; !signal?.aborted; after = viewer.after) {
      const log = logOf(viewer.root ?? null);
      reading = new AbortController();
      viewer.readings.add(reading);
      let last = after ?? log.last;
      for await (const numbered of log.read(after, reading.signal)) {
        yield numbered;
        last = Math.max(last, numbered.seq);
      }
      viewer.readings.delete(reading);
      // The log has ended, and with it the host.
      if (!reading.signal.aborted) return;
      // What had gone wrong there is heard all the same.
      for (const event of log.after(last)) if (event.kind === "notice") yield { seq: 0, event };
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    viewer.readings.delete(reading);
  }
}

const newViewer = (): Viewer => ({
  root: undefined,
  after: null,
  maySee: () => true,
  readings: new Set(),
});
