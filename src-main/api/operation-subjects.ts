/** What the commits are that jj's words for operations name: most of them do not stand on the graph any more. */
import type { ChangeName } from "#shared/contract/views/undo.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import type { Repository } from "../jj/repository-interface.ts";

/** @returns by commit id; what jj has thrown away is left out */
export async function operationSubjects(
  repository: Pick<Repository, "commitsOf">,
  commits: readonly string[],
): Promise<Readonly<Record<string, ChangeName>>> {
  const found = await repository.commitsOf(commits);
  return Object.fromEntries(
    found.map(({ commitId, changeId, description }) => [
      commitId,
      { changeId, title: parseDescription(description).subject },
    ]),
  );
}
