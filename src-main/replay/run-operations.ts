/** What jj did in the time of a run, with the titles of the commits that its own words name by their ids. */
import type { RunOperations } from "#shared/contract/views/replay.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import type { Operation } from "#shared/graph/change.ts";
import type { Repository } from "../jj/repository-interface.ts";

type Source = Pick<Repository, "operations" | "query">;

/** More are not drawn: the newest stay. */
const maxOperations = 20_000;
const firstRead = 500;
/** Commits of one question to jj. */
const atOnce = 200;
const maxTitles = 2_000;

/** @param to null: still active */
export async function operationsOfTime(
  repository: Source,
  from: number,
  to: number | null,
): Promise<RunOperations> {
  let limit = firstRead;
  let read = await repository.operations({ limit });
  // A log may be far longer than a run.
  while (read.length === limit && limit < maxOperations && (read.at(-1)?.time ?? 0) >= from) {
    limit = Math.min(maxOperations, limit * 4);
    read = await repository.operations({ limit });
  }
  const operations = read
    .filter(({ time, parents }) => time >= from && (to === null || time <= to) && parents.length > 0)
    .toReversed();
  return { operations, titles: await titlesOf(repository, operations) };
}

const commitIds = /\b[0-9a-f]{40}\b/gu;

async function titlesOf(
  repository: Source,
  operations: readonly Operation[],
): Promise<RunOperations["titles"]> {
  const named = new Set<string>();
  for (const { description } of operations.toReversed())
    for (const [id] of description.matchAll(commitIds)) if (named.size < maxTitles) named.add(id);
  const ids = [...named];
  const titles: Record<string, string> = {};
  for (let at = 0; at < ids.length; at += atOnce) {
    const revset = ids
      .slice(at, at + atOnce)
      .map((id) => `present(${id})`)
      .join(" | ");
    for (const { commitId, description } of await repository.query(revset))
      titles[commitId] = parseDescription(description).subject;
  }
  return titles;
}
