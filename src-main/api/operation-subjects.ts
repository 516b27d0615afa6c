/** What the commits are that jj's words for operations name: most of them do not stand on the graph any more. */
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import type { Repository } from "../jj/repository-interface.ts";

/** Commits of one question to jj. */
const atOnce = 200;

/** @returns by commit id; what jj has thrown away is left out */
export async function operationSubjects(
  repository: Pick<Repository, "query">,
  commits: readonly string[],
): Promise<Readonly<Record<string, { readonly changeId: string; readonly title: string }>>> {
  const found: Record<string, { changeId: string; title: string }> = {};
  for (let at = 0; at < commits.length; at += atOnce) {
    const revset = commits
      .slice(at, at + atOnce)
      .map((id) => `present(${id})`)
      .join(" | ");
    for (const { commitId, changeId, description } of await repository.query(revset))
      found[commitId] = { changeId, title: parseDescription(description).subject };
  }
  return found;
}
