/** What differs between the graph as it is and as it shall be again. */
import { parseDescription } from "../domain/change-metadata/trailers.ts";
import type { Change, Refs } from "./change.ts";

/** What becomes of a change: the first that fits of place, words and files. */
type RestoredHow = "goes" | "comes back" | "other files" | "other place" | "other words";

export interface RestoredChange {
  readonly changeId: string;
  readonly title: string;
  readonly how: RestoredHow;
  /** By its own lines. */
  readonly agent: string | null;
  readonly run: string | null;
  /** Commits before and after; null: there is none. */
  readonly from: string | null;
  readonly to: string | null;
  /** Files that are touched; empty also where that was not read. */
  readonly files: readonly string[];
}

export interface RestoredBookmark {
  readonly name: string;
  /** Its present and restored target: a commit with its title; null: there is no such bookmark. */
  readonly from: { readonly commitId: string; readonly title: string } | null;
  readonly to: { readonly commitId: string; readonly title: string } | null;
}

const titleOf = ({ changeId, description }: Change): string =>
  parseDescription(description).subject || changeId.slice(0, 8);

/**
 * Changes that differ. One with only a new parent commit of the same change does not count, and `other files`
 * may turn out to be empty, because contents are compared elsewhere.
 *
 * @param before rows that are only in the current graph
 * @param after rows that are only in the restored graph
 */
export function restoredChanges(
  before: readonly Change[],
  after: readonly Change[],
): readonly RestoredChange[] {
  const was = new Map(before.map((change) => [change.changeId, change]));
  const willBe = new Map(after.map((change) => [change.changeId, change]));
  const idOf = new Map([...before, ...after].map(({ commitId, changeId }) => [commitId, changeId]));
  const parentsOf = ({ parents }: Change): string => parents.map((one) => idOf.get(one) ?? one).join();
  const named = (change: Change): Pick<RestoredChange, "changeId" | "title" | "agent" | "run" | "files"> => ({
    changeId: change.changeId,
    title: titleOf(change),
    agent: change.metadata.agent ?? null,
    run: change.metadata.run ?? null,
    files: [],
  });
  return [
    ...[...was.values()].flatMap((now): readonly RestoredChange[] => {
      const then = willBe.get(now.changeId);
      if (!then) return [{ ...named(now), how: "goes", from: now.commitId, to: null }];
      if (then.commitId === now.commitId) return [];
      const how =
        parentsOf(now) !== parentsOf(then)
          ? "other place"
          : now.description !== then.description
            ? "other words"
            : "other files";
      return [{ ...named(then), how, from: now.commitId, to: then.commitId }];
    }),
    ...[...willBe.values()]
      .filter(({ changeId }) => !was.has(changeId))
      .map((then): RestoredChange => ({ ...named(then), how: "comes back", from: null, to: then.commitId })),
  ];
}

/**
 * Bookmarks that moved or are gone, by name.
 * @param titles of commits, as far as known
 */
export function restoredBookmarks(
  before: Refs["bookmarks"],
  after: Refs["bookmarks"],
  titles: ReadonlyMap<string, string>,
): readonly RestoredBookmark[] {
  const at = (commits: readonly string[] | undefined): RestoredBookmark["from"] => {
    const [commitId] = commits ?? [];
    return commitId === undefined ? null : { commitId, title: titles.get(commitId) ?? commitId.slice(0, 8) };
  };
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name]?.join() !== after[name]?.join())
    .sort()
    .map((name) => ({ name, from: at(before[name]), to: at(after[name]) }));
}
