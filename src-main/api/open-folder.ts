/** Shows a folder's repository in a window: one that is open already, or one that is opened for it. */
import type { HostEvent } from "#shared/contract/events.ts";
import type { Repository } from "../jj/repository-interface.ts";
import type { EventLog } from "./event-log.ts";
import { type Prepared, rootOfFolder } from "./folder-to-open.ts";
import type { HostParts } from "./host-parts.ts";
import { noticeOf } from "./notice-of.ts";
import type { OpenSession, OpenSessions } from "./open-sessions.ts";
import type { Line, Viewers } from "./viewers.ts";

export interface FolderOpenerOptions {
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
export const noRepository: HostEvent = { kind: "repository", repository: null };

/** @returns what opens a folder in a window, or without one in all, and answers with its root */
export function createFolderOpener(
  options: FolderOpenerOptions,
): (path: string, line?: Line) => Promise<string> {
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

/** What nobody looks at and in which nothing goes on is only a cost. */
async function closeIdle({ sessions, viewers, publish }: FolderOpenerOptions): Promise<void> {
  const current = sessions.latest()?.root;
  for (const { root, name, isKept } of sessions.list())
    if (root !== current && !viewers.isShown(root) && !isKept())
      await sessions
        .close(root)
        .catch((error: unknown) => publish(noticeOf(`${name} could not be closed cleanly`, error)));
}
