/** What Git tools find in a workspace: see `git-view.ts` of `jj/`. */
import { rootOrchestrator } from "#shared/domain/address.ts";
import { sharedHistoryFolder, writeGitView } from "../../jj/git-view.ts";
import type { Run } from "../run/run.ts";

interface Known {
  /** Where the run began, which everybody in it may see. */
  readonly published: Promise<readonly string[]>;
  /** What each workspace shows. */
  readonly shown: Map<string, string>;
  hasProblem: boolean;
}

/** What is needed of a run, or of whoever looks at a commit without one: then nothing of it is published yet. */
export type GitViewHost = Pick<Run, "repository" | "stateFolder" | "emit"> & Partial<Pick<Run, "own">>;

const known = new WeakMap<GitViewHost, Known>();

/**
 * Lets Git show a workspace as it is recorded. Nice to have: what fails is told once in a run, and stops nothing.
 * @param commit what is recorded of it
 */
export async function showGit(
  run: GitViewHost,
  folder: string,
  commit: string,
  { isFinished = false } = {},
): Promise<void> {
  const of = known.get(run) ?? { published: publishedOf(run), shown: new Map(), hasProblem: false };
  known.set(run, of);
  if (of.shown.get(folder) === commit) return;
  const { problem } = await writeGitView({
    root: run.repository.root,
    workspace: folder,
    shared: sharedHistoryFolder(run.stateFolder),
    commit,
    published: await of.published,
    isFinished,
  });
  if (problem === null) of.shown.set(folder, commit);
  else if (!of.hasProblem) {
    of.hasProblem = true;
    run.emit({
      kind: "notice",
      level: "warning",
      text: `Tools that ask Git find nothing in the workspaces: ${problem}`,
      remedy: "The work goes on without it. Checks that need Git's history will say so.",
    });
  }
}

/** Nothing of it stands there any more. */
export const forgetGit = (run: GitViewHost, folder: string): void => {
  known.get(run)?.shown.delete(folder);
};

async function publishedOf(run: GitViewHost): Promise<readonly string[]> {
  const base = run.own?.(rootOrchestrator).base ?? null;
  if (base === null) return [];
  try {
    return (await run.repository.query(`${base}-`, { limit: 8 })).map(({ commitId }) => commitId);
  } catch {
    // Without it every workspace has the whole history for itself.
    return [];
  }
}
