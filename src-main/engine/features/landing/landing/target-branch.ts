/** The branch that a result lands on: its name, its commit, and what keeps it from moving. */
import type { JjError } from "../../../../jj/errors.ts";
import { patternBookmark } from "../../../../patterns/patterns-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { trunkOf } from "../../../graph-sync/run-base.ts";
import type { Run } from "../../../ports.ts";

/** The branch that the result is for: what was chosen, by the name that it has now, else the project's trunk. */
export async function branchOf(run: Run): Promise<string | null> {
  const [stand, bookmarks] = await Promise.all([run.repository.gitStand(), bookmarksOf(run)]);
  const { branch } = run.facts;
  if (branch === null) return trunkOf({ bookmarks }, stand);
  if (bookmarks[branch] !== undefined) return branch;
  return renamed(run, branch, { bookmarks, own: stand?.isManagedByGit ? stand.branch : null });
}

/** The only branch at the commit of a deleted one, else the user's current branch if it contains the base. */
async function renamed(
  run: Run,
  gone: string,
  { bookmarks, own }: { readonly bookmarks: Stands; readonly own: string | null },
): Promise<string | null> {
  const { shown } = run.facts.landing;
  const base = run.facts.onto?.commitId;
  const last = shown?.bookmarks[gone]?.join() ?? base;
  const there = Object.keys(bookmarks).filter(
    (name) => isForLanding(name) && bookmarks[name]?.join() === last && shown?.bookmarks[name] === undefined,
  );
  if (there.length === 1) return there[0] ?? null;
  const [at, ...others] = own === null ? [] : (bookmarks[own] ?? []);
  const holdsBase =
    at !== undefined &&
    others.length === 0 &&
    base !== undefined &&
    (await run.repository.isAncestor(base, at));
  return holdsBase ? own : null;
}

/** Neither the assignment of a task nor the branch of patterns. */
export const isForLanding = (name: string): boolean => name !== patternBookmark && !name.startsWith("O-");

/** Why a branch cannot move to the result, or null. */
export async function obstacle(
  run: Run,
  bookmark: string,
  stands: readonly string[],
  result: string,
): Promise<EngineRefusal | JjError | null> {
  if (stands.length > 1)
    return new EngineRefusal(
      `The bookmark ${bookmark} is conflicted.`,
      `Choose its target with \`jj bookmark set ${bookmark} -r <change>\`, then land.`,
    );
  const [at = null] = stands;
  return at === result ? null : run.repository.refusalToMove({ branch: bookmark, from: at, to: result });
}

type Stands = Readonly<Record<string, readonly string[]>>;

/** The commits of every bookmark; several if it is conflicted. */
export const bookmarksOf = (run: Run): Promise<Stands> => run.repository.branches();

/** A branch's commit; null also if it is conflicted, which only the user can resolve. */
export async function branchTip(run: Run, branch: string | null): Promise<string | null> {
  const [tip = null, ...others] = branch === null ? [] : ((await bookmarksOf(run))[branch] ?? []);
  return others.length === 0 ? tip : null;
}
