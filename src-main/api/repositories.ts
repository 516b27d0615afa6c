import { existsSync } from "node:fs";
import { join } from "node:path";
import { createSerial } from "#shared/async/serial.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import type { FolderView } from "#shared/contract/views/folder.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { absolutePath } from "./folders.ts";
import type { HostParts } from "./host-parts.ts";
import { noticeOf } from "./notice-of.ts";
import type { OpenRepository } from "./open-repository.ts";
import { NotOpen, Refusal } from "./refusal.ts";
import { askForRepository, StillHeld } from "./repository-holder.ts";
import { createSession, type RepositorySession } from "./repository-session.ts";

export interface RepositoriesOptions {
  readonly parts: Pick<HostParts, "inspectFolder" | "openRepository" | "initBesideGit" | "initPlain">;
  /** Where what Hox keeps of a repository stands. */
  readonly stateFolderOf: (root: string) => string;
  readonly rehearsalOf: (root: string) => string | null;
  readonly startEngine: (repository: Repository, stateFolder: string) => Promise<Engine>;
  readonly openEndpoint: ((stateFolder: string) => Promise<{ close(): Promise<void> }>) | undefined;
  /** Another one was opened by a person. */
  readonly opened: (root: string) => Promise<void>;
  /** None is open any more. */
  readonly closed: () => void;
  readonly publish: (event: HostEvent) => void;
}

/** Which repository is open: one at a time, and opening, adopting, taking over and closing follow one another. */
export interface Repositories {
  /** The open one, or null. */
  shown(): OpenRepository | null;
  /** What a folder is. A repository is opened on the way, for it is what will be asked for next. */
  inspect(path: string): Promise<FolderView>;
  open(path: string): Promise<void>;
  /** Makes the folder a jj repository first. Only after the user's yes. */
  adopt(path: string): Promise<void>;
  /** Works here on the open repository, after the host that did so has saved everything and let go. */
  takeOver(): Promise<void>;
  closeRepository(): Promise<void>;
  /** For good. */
  close(): Promise<void>;
}

export function createRepositories(options: RepositoriesOptions): Repositories {
  const { parts, publish } = options;
  const serial = createSerial();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => serial.run("repository", work);
  const prepared = createPrepared(parts.openRepository);
  const { shown, openOrNone, replace, closeSession } = createCurrentSession(options, (by) => letGo(by));

  const openFolder = async (path: string): Promise<void> => {
    const root = existsSync(join(path, ".jj")) ? path : await jjRootOf(parts, path);
    // Whatever is wrong with it is found before the one that is open is closed.
    const repository = await prepared.take(root);
    if (shown()?.repository.root === repository.root) return repository.close();
    publish({ kind: "repository-opening", path: repository.root, step: "Reading the graph" });
    await closeSession();
    await openOrNone(repository);
    await options.opened(repository.root);
  };

  /** Saves everything, says when the repository is free, and looks on from then. */
  const letGo = (by: string): Promise<void> =>
    new Promise((free, reject) => {
      inTurn(async () => {
        const root = shown()?.repository.root;
        if (root === undefined) return free();
        try {
          await replace(root, `${by}, which took over at ${new Date().toISOString()}`, free);
        } catch (error) {
          // Where it is gone nobody can look on; whoever asked for it gets it all the same.
          await closeSession();
          free();
          publish(noticeOf(`This repository was taken over by ${by} and cannot be shown here`, error));
          return;
        }
        publish(wasTakenOver(by));
      }).catch((error: unknown) => {
        publish(noticeOf("The repository could not be handed over", error));
        reject(error);
      });
    });

  const takeOver = async (): Promise<void> => {
    const open = shown();
    if (!open) throw new NotOpen();
    if (open.engine) return;
    const { root } = open.repository;
    for (let isSecond = false; ; isSecond = true) {
      if ((await askForRepository(options.stateFolderOf(root))) === "ended") publish(hasEnded);
      await replace(root);
      const heldBy = shown()?.view().heldBy;
      if (heldBy === undefined) return;
      // Whoever this one has just made way for was not there yet when it was looked for.
      if (isSecond) throw new StillHeld(heldBy);
    }
  };

  return {
    shown,
    inspect: (path) => prepared.inspect(absolutePath(path), parts.inspectFolder),
    open: (path) => inTurn(() => openFolder(absolutePath(path))),
    adopt: (path) =>
      inTurn(async () => {
        const { root, words } = await adoptFolder(parts, absolutePath(path));
        await openFolder(root);
        for (const text of words) publish({ kind: "notice", level: "info", text, remedy: null });
      }),
    takeOver: () => inTurn(takeOver),
    closeRepository: () => inTurn(closeSession),
    async close() {
      await inTurn(closeSession);
      await prepared.close();
    },
  };
}

const hasEnded: HostEvent = {
  kind: "notice",
  level: "info",
  text: "The Hox that worked on this repository has ended. Its run goes on here.",
  remedy: null,
};

const wasTakenOver = (by: string): HostEvent => ({
  kind: "notice",
  level: "warning",
  text: `This repository was taken over by ${by}. Everything was saved, and the run goes on there.`,
  remedy: "Take over here to work on it again.",
});

/** @param letGo saves everything and closes it for another host */
function createCurrentSession(options: RepositoriesOptions, letGo: (by: string) => Promise<void>) {
  const { parts, publish } = options;
  let session: RepositorySession | null = null;

  const shown = (): OpenRepository | null => session?.shown() ?? null;

  const closeSession = async ({ quietly = false } = {}): Promise<void> => {
    const closing = session;
    session = null;
    const wasShown = closing?.shown() != null;
    try {
      await closing?.close();
    } finally {
      if (wasShown) {
        options.closed();
        if (!quietly) publish({ kind: "repository", repository: null });
      }
    }
  };

  /** @param takenBy another host that this one has just made way for */
  const openOrNone = async (repository: Repository, takenBy?: string): Promise<void> => {
    const { root } = repository;
    const stateFolder = options.stateFolderOf(root);
    const { openEndpoint } = options;
    session = createSession({
      repository,
      stateFolder,
      rehearsal: options.rehearsalOf(root),
      takenBy,
      startEngine: () => options.startEngine(repository, stateFolder),
      openEndpoint: openEndpoint && (() => openEndpoint(stateFolder)),
      letGo,
      publish,
    });
    try {
      await session.begin();
    } catch (error) {
      await closeSession();
      publish({ kind: "repository", repository: null });
      throw error;
    }
  };

  /** Opens what is open anew: whose it is has changed. */
  const replace = async (
    root: string,
    takenBy?: string,
    free: () => void = () => undefined,
  ): Promise<void> => {
    const repository = await parts.openRepository(root);
    // Nobody sees it go: the next thing on screen is the same repository.
    await closeSession({ quietly: true });
    free();
    await openOrNone(repository, takenBy);
  };

  return { shown, openOrNone, replace, closeSession };
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
          // What is wrong with it is said in more words by the inspection.
        }
      }
      return inspectFolder(folder);
    },
    async take(root: string): Promise<Repository> {
      const taken = prepared;
      if (taken?.root !== root) return openRepository(root);
      prepared = null;
      return taken;
    },
    close: async (): Promise<void> => prepared?.close(),
  };
}

/** Makes a folder a jj repository. Answers with what was done beside it, for a person. */
async function adoptFolder(
  parts: RepositoriesOptions["parts"],
  path: string,
): Promise<{ readonly root: string; readonly words: readonly string[] }> {
  const folder = await parts.inspectFolder(path);
  const { root } = folder;
  if (folder.kind === "plain") return { root, words: await parts.initPlain(root) };
  if (folder.kind !== "git") return { root, words: [] };
  if (!folder.canAdopt)
    throw new Refusal(
      folder.reason ?? `${root} cannot be made a jj repository.`,
      "Mend that, or clone it with `jj git clone`.",
    );
  return { root, words: await parts.initBesideGit(root) };
}

/** The jj repository that a folder lies in, or a refusal that says what the folder is instead. */
async function jjRootOf(parts: Pick<HostParts, "inspectFolder">, path: string): Promise<string> {
  const folder = await parts.inspectFolder(path);
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
