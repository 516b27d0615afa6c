import { join } from "node:path";
import { promisify } from "node:util";
import { inflate } from "node:zlib";
import { readMetadata } from "#shared/domain/change-metadata/trailers.ts";
import type { Change } from "#shared/graph/change.ts";
import { readBoundedBytesOrNull } from "../../disk/repository-files.ts";
import { gitFolderOf } from "../process/op-heads.ts";

/** The commits of a repository, read from Git's own files and kept: commits never change. */
export interface CommitStore {
  /** Undefined if a commit is not a loose object, or not written by jj. */
  read(commit: string): Promise<CommitObject | undefined>;
}

/** A commit as jj wrote it into Git's store. */
interface CommitObject {
  /** Equal for two commits that hold the same files, conflicts among them. */
  readonly files: string;
  /** As a row of the graph; what only the graph around it can say, `immutable` and `divergent`, is false. */
  readonly change: Change;
}

const unzip = promisify(inflate);
const commitId = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/u;

/** Whether an id is that of jj's root commit, of which Git has no object. */
export const isRootCommit = (commit: string): boolean => /^0+$/u.test(commit);

const maxObjectBytes = 4_000_000;

/**
 * Reads a commit from its loose object in Git's store. jj writes each of its commits into one, and only Git's
 * own gc packs them.
 * @param gitFolder the folder that contains `objects`
 * @returns undefined if there is no such file or it lacks jj's header
 */
async function readCommitObject(gitFolder: string, id: string): Promise<CommitObject | undefined> {
  if (!commitId.test(id)) return undefined;
  const packed = readBoundedBytesOrNull(
    join(gitFolder, "objects", id.slice(0, 2), id.slice(2)),
    maxObjectBytes,
  );
  return packed === null ? undefined : parseCommit(id, await unzip(packed));
}

/** `name <address> seconds zone`; the address may hold anything. */
function userIn(
  header: string,
): { readonly name: string; readonly email: string; readonly seconds: number } | null {
  const time = /> (-?\d+) [+-]\d+$/u.exec(header);
  const begin = header.indexOf("<");
  if (!time || begin < 0 || begin > time.index) return null;
  const name = header.slice(0, begin);
  return {
    name: name.endsWith(" ") ? name.slice(0, -1) : name,
    email: header.slice(begin + 1, time.index),
    seconds: Number(time[1]),
  };
}

/** jj's placeholder for a missing name, because Git allows no empty one. */
const noName = "JJ_EMPTY_STRING";
const named = (text: string): string => (text === noName ? "" : text);

/** @returns undefined where it is no commit of jj's, or of a kind that is not read here */
export function parseCommit(id: string, object: Buffer): CommitObject | undefined {
  const start = object.indexOf(0) + 1;
  const end = object.indexOf("\n\n", start);
  if (object.toString("latin1", 0, 7) !== "commit " || end < 0) return undefined;
  const headers = headersOf(object.toString("utf8", start, end));
  const one = (name: string): string | undefined => headers.find(([key]) => key === name)?.[1];
  const author = userIn(one("author") ?? "");
  const committer = userIn(one("committer") ?? "");
  const changeId = one("change-id");
  const tree = one("tree");
  if (!author || !committer || tree === undefined || changeId === undefined || one("encoding") !== undefined)
    return undefined;
  const description = object.toString("utf8", end + 2);
  const parents = headers.flatMap(([key, value]) => (key === "parent" ? [value] : []));
  const sides = one("jj:trees");
  return {
    files: sides ?? tree,
    change: {
      commitId: id,
      changeId,
      parents: parents.length === 0 ? ["0".repeat(id.length)] : parents,
      description,
      author: { name: named(author.name), email: named(author.email) },
      timestamp: committer.seconds * 1_000,
      metadata: readMetadata(description),
      immutable: false,
      divergent: false,
      conflict: sides !== undefined,
    },
  };
}

/** The headers of an object; the further lines of one begin with a space. */
const headersOf = (text: string): readonly (readonly [string, string])[] =>
  text
    .replaceAll("\n ", "\u0000")
    .split("\n")
    .map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)] as const;
    });

const maxCommits = 4_000;

/** Makes the reader of the commits of a workspace's repository. */
export function createCommitStore(root: string): CommitStore {
  const kept = new Map<string, CommitObject>();
  let gitFolder: Promise<string> | undefined;
  return {
    async read(commit) {
      const known = kept.get(commit);
      if (known) return known;
      gitFolder ??= gitFolderOf(root);
      const found = await readCommitObject(await gitFolder, commit);
      if (found) keepNewest(kept, maxCommits, commit, found);
      return found;
    },
  };
}

/** Keeps an entry, and forgets the oldest beyond what is kept. */
export function keepNewest<Value>(
  entries: Map<string, Value>,
  most: number,
  key: string,
  value: Value,
): void {
  entries.set(key, value);
  const oldest = entries.keys().next();
  if (entries.size > most && !oldest.done) entries.delete(oldest.value);
}
