/** Takes in what others pushed of patterns. Nothing of it is trusted by that: only an approval here makes it so. */
import type { Repository } from "../jj/repository-interface.ts";
import { type BranchFile, readFiles, refuseForeignFiles } from "./pattern-branch.ts";
import { patternPath } from "./pattern-text.ts";
import { PatternRefused, type PulledPatterns, patternBookmark } from "./patterns-interface.ts";

const by = { actor: "hox" } as const;

/** @param trusted what stands on the branch, with what is in force of it */
export async function pullPatterns(
  repository: Repository,
  branchFiles: () => Promise<readonly (BranchFile & { readonly version: number | null })[]>,
): Promise<PulledPatterns> {
  const own = await onlyCommit(repository);
  const before = own === null ? [] : await branchFiles();
  const { remote } = await repository.fetchBranch(patternBookmark);
  if (remote === null)
    throw new PatternRefused("This repository has no remote.", [], "Add one: jj git remote add origin <url>");
  const theirs = await repository.remoteBranch(remote, patternBookmark);
  if (theirs === null)
    throw new PatternRefused(
      `${remote} has no branch ${patternBookmark}.`,
      [],
      "Push patterns first: hox patterns push",
    );
  await refuseForeignFiles(repository, theirs);
  const kept = await bringTogether(repository, own, theirs.commitId);
  const after = await branchFiles();
  const fresh = after.filter(
    (file) => file.version === null && before.find(({ id }) => id === file.id)?.text !== file.text,
  );
  return {
    remote,
    received: fresh.map(({ id }) => id),
    replaced: fresh
      .filter(({ id }) => before.some((file) => file.id === id && file.version !== null))
      .map(({ id }) => id),
    kept,
  };
}

/** Where the branch stood before the fetch, which moves a bookmark that follows its remote. */
async function onlyCommit(repository: Repository): Promise<string | null> {
  const found = (await repository.refs()).bookmarks[patternBookmark] ?? [];
  if (found.length < 2) return found[0] ?? null;
  // Of the two that a fetch by hand left, the one that no remote holds is this repository's.
  for (const commit of found) if ((await repository.pushedTo(commit)) === null) return commit;
  return found[0] ?? null;
}

/** @returns ids of what both sides changed: what was here stays */
async function bringTogether(
  repository: Repository,
  own: string | null,
  theirs: string,
): Promise<readonly string[]> {
  const set = (commit: string) =>
    repository.setBookmark(patternBookmark, commit, { ...by, allowBackwards: true });
  if (own === null || own === theirs || (await repository.isAncestor(own, theirs))) {
    await set(theirs);
    return [];
  }
  if (await repository.isAncestor(theirs, own)) {
    await set(own);
    return [];
  }
  const parents = [own, theirs];
  const description = "Bring patterns of both sides together\n\nHox-Kind: pattern\n";
  const merged = await repository.newChange({ parents, description, ...by });
  const met = (await repository.conflictedFiles(merged.commitId)).map(({ path }) => path);
  if (met.length === 0) {
    await set(merged.commitId);
    return [];
  }
  await repository.abandon(merged.changeId, by);
  const ours = (await readFiles(repository, own)).files;
  const files = Object.fromEntries(
    met.map((path) => [path, ours.find(({ pattern }) => pattern.path === path)?.text ?? null]),
  );
  await set((await repository.newChange({ parents, description, files, ...by })).commitId);
  return ours
    .filter(({ pattern }) => met.includes(patternPath(pattern.category, pattern.name)))
    .map(({ id }) => id);
}
