import type { BaseCommitView, RunBaseView } from "#shared/contract/commands/run.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { translateRevset } from "#shared/domain/revset/revset.ts";
import type { Change, Refs } from "#shared/graph/change.ts";
import type { GitStand } from "../../jj/ports/git-interop.ts";
import { rootCommit, userBase } from "../../jj/ports/graph-reader.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { EngineRefusal } from "../engine-errors.ts";

/** What a run is built on, and the branch that its result is for. */
export interface RunBase {
  readonly change: Change;
  /** Null where no branch suggests itself; the card asks. */
  readonly branch: string | null;
  /** That branch is on this commit. */
  readonly isOnBranch: boolean;
}

/** Names that a project's main branch has where no remote says which it is. */
const commonTrunks = ["main", "master", "trunk"];

/** The main branch: as the remote says it, else by its name. */
export function trunkOf(refs: Pick<Refs, "bookmarks">, stand: GitStand | null): string | null {
  const configuredTrunk = stand?.trunk ?? null;
  if (configuredTrunk !== null && refs.bookmarks[configuredTrunk] !== undefined) return configuredTrunk;
  return commonTrunks.find((name) => refs.bookmarks[name] !== undefined) ?? null;
}

/** The default base of a run, for choosing another. */
export async function describeRunBase(repository: Repository): Promise<RunBaseView> {
  await repository.importGit();
  const [stand, refs] = await Promise.all([repository.gitStand(), repository.refs()]);
  const standsOn = stand?.isManagedByGit ? stand.branch : null;
  const base = await defaultBase(repository, { stand, refs });
  const [leftOut] =
    base === null || standsOn !== null
      ? []
      : await repository.changesSince(base.commitId, stand?.commit ?? userBase, { limit: 1 });
  return {
    standsOn,
    trunk: trunkOf(refs, stand),
    // jj's root commit is not a base.
    base: base === null || base.parents.length === 0 ? null : baseCommitView(base),
    leftOut: leftOut ? baseCommitView(leftOut) : null,
  };
}

const baseCommitView = ({ changeId, commitId, description }: Change): BaseCommitView => ({
  changeId,
  commitId,
  title: parseDescription(description).subject,
});

/**
 * The base change of a run: the requested one, else the branch that is checked out in Git, else the trunk,
 * else the parent of the user's files. Import Git's changes first.
 */
export async function chooseRunBase(repository: Repository, wish: string | null): Promise<RunBase> {
  const [stand, refs] = await Promise.all([repository.gitStand(), repository.refs()]);
  const found = await findRunBase(repository, wish, { stand, refs });
  const stands = found.branch === null ? [] : (refs.bookmarks[found.branch] ?? []);
  const base = { ...found, isOnBranch: stands.join() === found.change.commitId };
  const missing = await repository.missingObjects(base.change.commitId);
  if (missing > 0)
    throw new EngineRefusal(
      `This is a partial clone (git clone --filter), and ${missing} ${missing === 1 ? "file or folder" : "files or folders"} of ${base.change.commitId.slice(0, 12)} ${missing === 1 ? "is" : "are"} not on this machine. jj can't fetch them on demand, so agents would not have the files.`,
      "Fetch them all with `git fetch --refetch --no-filter` (git 2.36 or later), or clone again without --filter. Then start the run again.",
    );
  return base;
}

async function findRunBase(
  repository: Repository,
  wish: string | null,
  { stand, refs }: { readonly stand: GitStand | null; readonly refs: Refs },
): Promise<Omit<RunBase, "isOnBranch">> {
  const trunk = trunkOf(refs, stand);
  const own = stand?.isManagedByGit ? stand.branch : null;
  if (wish !== null) {
    const name = wish.trim();
    const commits = refs.bookmarks[name];
    if (commits === undefined)
      return {
        change: (await ofRemote(repository, name)) ?? (await changeMatching(repository, wish)),
        branch: own ?? trunk,
      };
    // Its name may hold what an expression would take for something else.
    const stands = await Promise.all(commits.map((commit) => repository.change(commit)));
    return {
      change: only(
        wish,
        stands.flatMap((change) => change ?? []),
      ),
      branch: name,
    };
  }
  if (stand !== null && stand.commit === null && stand.branch !== null && trunk === null)
    throw new EngineRefusal(
      `${stand.branch} has no commit yet, so there is no base to build on, and your files would not be included.`,
      'Create a first commit with Git: `git add .` and `git commit -m "First commit"` (with `--allow-empty` if there are no files). Then start the run again.',
    );
  const change = await defaultBase(repository, { stand, refs });
  if (change === null)
    throw new EngineRefusal("No change to build on.", "Create a first commit, or choose a base.");
  return { change, branch: own ?? trunk };
}

/** The branch that is checked out in Git, else the trunk, else the parent of the user's files. */
async function defaultBase(
  repository: Repository,
  { stand, refs }: { readonly stand: GitStand | null; readonly refs: Refs },
): Promise<Change | null> {
  const own = stand?.isManagedByGit ? stand.branch : null;
  if (own !== null) {
    const change = await repository.change(stand?.commit ?? rootCommit);
    if (change) return change;
  }
  const trunk = trunkOf(refs, stand);
  const [commit, ...others] = (trunk === null ? null : refs.bookmarks[trunk]) ?? [];
  return repository.change(commit === undefined || others.length > 0 ? userBase : commit);
}

/** A remote's branch as Git writes it, `origin/main`; jj would write `main@origin`. */
async function ofRemote(repository: Repository, wish: string): Promise<Change | null> {
  const [, remote, name] = /^([^/\s]+)\/(\S+)$/u.exec(wish) ?? [];
  return remote === undefined || name === undefined ? null : repository.remoteBranch(remote, name);
}

/** The one change that an expression matches. @throws EngineRefusal that names the expression and what to say instead */
export async function changeMatching(repository: Repository, wish: string): Promise<Change> {
  const translated = translateRevset(wish, await repository.notes());
  if (!translated.ok)
    throw new EngineRefusal(
      `"${wish}", character ${translated.error.start + 1}: ${translated.error.message}`,
      "Correct the expression; `jj help -k revsets` describes the language.",
    );
  return only(wish, await repository.query(translated.revset, { limit: 2 }));
}

function only(wish: string, [found, ...others]: readonly Change[]): Change {
  if (found && others.length === 0) return found;
  throw found
    ? new EngineRefusal(
        `"${wish}" matches several changes.`,
        "Give exactly one: a change ID, a bookmark, or `latest(…)` around the expression.",
      )
    : new EngineRefusal(`"${wish}" matches no change.`, "List changes with `hox log`.");
}

/**
 * Before anything is paid for: an author must be configured, and the run's changes must be mutable.
 * @throws EngineRefusal
 */
export async function checkRunBase(repository: Repository, base: RunBase): Promise<void> {
  if ((await repository.identity()) === null)
    throw new EngineRefusal(
      "Neither jj nor Git knows your name and email, so landed commits would have no author.",
      'Set them once: git config --global user.name "Your Name", and git config --global user.email you@your.domain. Then start the run again.',
    );
  const onto = base.change.commitId;
  const before = await repository.currentOperation();
  const { operation } = await repository.dryRun({
    kind: "merge",
    parents: [onto],
    bookmark: "O-A-1/agent-0",
  });
  const { added } = await repository.readDelta(before, operation);
  if (added.some((change) => change.parents.join() === onto && change.description === "" && change.immutable))
    throw new EngineRefusal(
      "Your jj configuration makes new changes immutable, so agents can't edit them.",
      "Check immutable_heads() with `jj config list revset-aliases`: exclude new changes and branches from it, as in 'builtin_immutable_heads()', then start the run again.",
    );
}
