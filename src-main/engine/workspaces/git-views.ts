/** What Git tools find in a workspace: see `git-view.ts` of `jj/`. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sharedHistoryFolder, writeGitView } from "../../jj/git/git-view.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { warn } from "../kernel/notify.ts";
import type { GitViews, RecordedAs } from "./workspace-interface.ts";

interface View {
  readonly wanted: RecordedAs;
  readonly shown: RecordedAs | null;
}

interface Options {
  readonly repository: Pick<Repository, "root" | "parentsOf">;
  readonly stateFolder: string;
  readonly emit: (event: EngineEvent) => void;
  /** The change whose parents are the run's base, which all workers may see; null: there is none. */
  readonly base: () => string | null;
}

/** One name for each folder, also for one that is gone, whichever way it was reached. */
const nameOf = (folder: string): string => {
  const parent = dirname(folder);
  return join(existsSync(parent) ? realpathSync(parent) : parent, basename(folder));
};

export function createGitViews({ repository, stateFolder, emit, base }: Options): GitViews {
  const views = new Map<string, View>();
  const writing = new Map<string, Promise<void>>();
  let published: Promise<readonly string[]> | null = null;
  let hasProblem = false;

  const readPublished = async (change: string): Promise<readonly string[]> => {
    try {
      return (await repository.parentsOf(change)).map(({ commitId }) => commitId);
    } catch {
      // Without it every workspace has the whole history for itself.
      return [];
    }
  };

  const write = async (folder: string, wanted: RecordedAs): Promise<void> => {
    const from = base();
    published ??= from === null ? null : readPublished(from);
    const { problem } = await writeGitView({
      root: repository.root,
      workspace: folder,
      shared: sharedHistoryFolder(stateFolder),
      commit: wanted.commit,
      published: (await published) ?? [],
      isFinished: wanted.isFinished === true,
    });
    if (problem === null) {
      const now = views.get(folder);
      if (now) views.set(folder, { ...now, shown: wanted });
    } else if (!hasProblem) {
      hasProblem = true;
      warn(
        { emit },
        `Git does not work inside the workspaces: ${problem}`,
        "The work continues. Checks that need Git history will fail.",
      );
    }
  };

  const bringUpToDate = async (folder: string): Promise<void> => {
    const going = writing.get(folder);
    if (going) return going;
    const view = views.get(folder);
    if (!view || view.shown?.commit === view.wanted.commit) return;
    const mine = write(folder, view.wanted).finally(() => writing.delete(folder));
    writing.set(folder, mine);
    return mine;
  };

  return {
    recorded(folder, as) {
      const name = nameOf(folder);
      views.set(name, { wanted: as, shown: views.get(name)?.shown ?? null });
    },
    copied(from, to) {
      const view = views.get(nameOf(from));
      if (view) views.set(nameOf(to), view);
    },
    forget(folder) {
      views.delete(nameOf(folder));
    },
    write: (folder) => bringUpToDate(nameOf(folder)),
    before: (sandbox) => ({
      ...sandbox,
      async run(command) {
        await bringUpToDate(nameOf(command.workspace));
        return sandbox.run(command);
      },
    }),
  };
}
