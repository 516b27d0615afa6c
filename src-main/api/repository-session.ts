import type { HostEvent } from "#shared/contract/events.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { noticeOf } from "./notice-of.ts";
import { type OpenRepository, openRepository } from "./open-repository.ts";
import { acquireRepository, type Holding } from "./repository-holder.ts";
import { keepStatusFile, type StatusFileKeeper } from "./status-file.ts";

export interface SessionOptions {
  readonly repository: Repository;
  /** Of the repository. */
  readonly stateFolder: string;
  readonly rehearsal: string | null;
  /** Another host that this one has just made way for. */
  readonly takenBy: string | undefined;
  readonly startEngine: () => Promise<Engine>;
  /** Lets terminals steer the run; left out: nobody may. */
  readonly openEndpoint: (() => Promise<{ close(): Promise<void> }>) | undefined;
  readonly letGo: (by: string) => Promise<void>;
  /** Called once, as soon as there is something to show and before its first event. */
  readonly onShown: () => void;
  readonly publish: (event: HostEvent) => void;
  /** Whether a window shows it. */
  readonly isShown: () => boolean;
}

/** One repository from its opening to its closing: who holds it, its engine, and by what others reach it. */
export interface RepositorySession {
  /** Null until there is something to show, and from the beginning of its closing. */
  shown(): OpenRepository | null;
  /** Resolves when its graph has been read. Where it rejects, it has to be closed all the same. */
  begin(): Promise<void>;
  /** Saves everything and lets go of the repository. */
  close(): Promise<void>;
}

export function createSession(options: SessionOptions): RepositorySession {
  const { repository, stateFolder, takenBy, publish } = options;
  let open: OpenRepository | null = null;
  let holding: Holding | null = null;
  let status: StatusFileKeeper | null = null;
  let endpoint: { close(): Promise<void> } | null = null;

  const show = async (held: Holding): Promise<void> => {
    const engine = held.isOwned ? options.startEngine() : Promise.resolve(null);
    try {
      await openRepository({
        repository,
        engine,
        rehearsal: options.rehearsal,
        heldBy: held.isOwned ? null : held.by,
        publish,
        isShown: options.isShown,
        onOpen(opened) {
          open = opened;
          options.onShown();
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
    async begin() {
      holding =
        takenBy === undefined
          ? await acquireRepository(stateFolder, options.letGo)
          : { isOwned: false, by: takenBy };
      await show(holding);
      const engine = open?.engine;
      if (!engine) return;
      status = keepStatusFile(engine, stateFolder);
      try {
        endpoint = (await options.openEndpoint?.()) ?? null;
      } catch (error) {
        // The window steers as well; a terminal says that it finds no door.
        publish(noticeOf("Terminals can't control this run", error));
      }
      status.follow();
    },
    async close() {
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
        if (holding?.isOwned) holding.release();
      }
    },
  };
}
