/** What a push would do, looked at without asking the server: it is as the remote was last fetched. */
import type { PushPreview } from "#shared/contract/push.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { JjError } from "./errors.ts";
import type { Lfs } from "./lfs.ts";
import type { Jj, JjOutput } from "./process.ts";
import { explainPushError, untrackedRemote } from "./push-errors.ts";
import { exactFile } from "./read-access.ts";
import type { Reader } from "./reader.ts";
import { beginUnpublished } from "./unpublished.ts";

/** More than anybody reads before a yes; how many there are is said all the same. */
const maxChanges = 500;
/** A command line has room for no more. */
const filesAtOnce = 200;

export interface PreviewParts {
  readonly jj: Jj;
  readonly root: string;
  readonly reader: Pick<Reader, "query">;
  readonly lfs: Pick<Lfs, "files">;
  /** See the port. */
  readonly notesToPush: (remote: string) => Promise<number>;
  /** The operation to try a push on; to be called from inside the queue. */
  readonly settle: () => Promise<string>;
}

/** What jj said that a push would do. */
export interface TriedPush extends JjOutput {
  /** The remote whose branch has to be followed first; null where nothing has. */
  readonly follows: string | null;
}

/** Arguments that push a bookmark. */
export const pushArguments = (bookmark: string): readonly string[] => [
  ...["--ignore-working-copy", "git", "push", "--bookmark", exact(bookmark)],
];

/** Arguments that make a bookmark follow its branch at a remote. */
export const trackArguments = (bookmark: string, remote: string): readonly string[] => [
  ...["--ignore-working-copy", "bookmark", "track", exact(bookmark), "--remote", exact(remote)],
];

/** A name inside jj's string patterns and revsets: nothing in it is a pattern. */
export const exact = (name: string): string => `exact:${JSON.stringify(name)}`;

const readJj = (
  { jj, root }: Pick<PreviewParts, "jj" | "root">,
  args: readonly string[],
): Promise<JjOutput> => jj.run({ args: ["-R", root, ...args], cwd: root });

/**
 * Tries a push out, also one to a branch that jj would have to follow first.
 * @throws JjError where the push would fail, in jj's words
 */
export async function tryPush(parts: PreviewParts, bookmark: string): Promise<TriedPush> {
  const args = [...pushArguments(bookmark), "--dry-run"];
  try {
    return { ...(await readJj(parts, args)), follows: null };
  } catch (error) {
    const remote = untrackedRemote(error, bookmark);
    if (remote === null) throw error;
    await refuseToFollowAhead(parts, bookmark, remote);
    const row = beginUnpublished(parts.jj, parts.root, await parts.settle());
    await row.run(trackArguments(bookmark, remote));
    return { ...(await readJj(parts, [`--at-op=${row.operation()}`, ...args])), follows: remote };
  }
}

/** Following a branch that has moved on would make the local one stand in two places. */
async function refuseToFollowAhead(
  { reader }: PreviewParts,
  bookmark: string,
  remote: string,
): Promise<void> {
  const theirs = `remote_bookmarks(${exact(bookmark)}, ${exact(remote)})`;
  const ahead = await reader.query(`${theirs} ~ ::bookmarks(${exact(bookmark)})`, { limit: 1 });
  if (ahead.length === 0) return;
  throw new JjError({
    kind: "failed",
    message: `${remote}/${bookmark} has commits that are not in ${bookmark}. Nothing was pushed.`,
    remedy: `Merge them (\`git pull\` on ${bookmark}), then push.`,
  });
}

/** Where bookmarks would move, and at which remote, as jj lists it. */
function movesIn({ stderr }: JjOutput): {
  readonly remote: string | null;
  readonly moves: readonly string[];
} {
  const lines = stderr.split("\n");
  const remote = lines.flatMap((line) => /^Changes to push to (.+):$/u.exec(line)?.[1] ?? [])[0];
  const moves = lines.filter((line) => line.startsWith("  ")).map((line) => line.trim());
  return { remote: remote ?? null, moves };
}

/**
 * What a push of a bookmark would do.
 * @throws JjError `no-such-bookmark`, or `failed` with the way out where it would be refused
 */
export async function previewPush(parts: PreviewParts, bookmark: string): Promise<PushPreview> {
  const remotes = await remotesOf(parts);
  if (remotes.length === 0) return { bookmark, remote: null, moves: [], changes: [], notes: 0 };
  const tried = await tryPush(parts, bookmark).catch((error: unknown) => {
    throw explainPushError(error, bookmark);
  });
  if (/No matching bookmarks/u.test(tried.stderr))
    throw new JjError({ kind: "no-such-bookmark", message: `No bookmark ${bookmark}.` });
  const { remote, moves } = movesIn(tried);
  if (remote === null || moves.length === 0) {
    const defaultRemote = remotes.find((name) => name === "origin") ?? remotes[0] ?? null;
    const notes = defaultRemote === null ? 0 : await parts.notesToPush(defaultRemote);
    return { bookmark, remote: defaultRemote, moves: [], changes: [], notes };
  }
  const news = `(::bookmarks(${exact(bookmark)}) ~ ::remote_bookmarks(remote=${exact(remote)}) ~ root())`;
  const changes = await parts.reader.query(news, { limit: maxChanges });
  await refuseLfs(parts, bookmark, remote, news);
  return {
    bookmark,
    remote,
    moves,
    changes: changes.map(({ changeId, description }) => ({
      changeId,
      title: parseDescription(description).subject,
    })),
    notes: await parts.notesToPush(remote),
  };
}

/** Names of the remotes, as jj lists them. */
export async function remotesOf(parts: Pick<PreviewParts, "jj" | "root">): Promise<readonly string[]> {
  const { stdout } = await readJj(parts, ["--ignore-working-copy", "git", "remote", "list"]);
  return stdout.split("\n").flatMap((line) => line.split(" ")[0] || []);
}

/** jj sends commits, and what their pointers stand for stays behind: nobody who pulls them would get it. */
async function refuseLfs(
  { reader, lfs }: PreviewParts,
  bookmark: string,
  remote: string,
  news: string,
): Promise<void> {
  const [tip] = await reader.query(`bookmarks(${exact(bookmark)})`, { limit: 1 });
  const files = tip ? await lfs.files(tip.commitId) : [];
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const few = files.slice(at, at + filesAtOnce);
    const [change] = await reader.query(`${news} & files(${few.map(exactFile).join("|")})`, { limit: 1 });
    if (!change) continue;
    throw new JjError({
      kind: "failed",
      message: `${bookmark} was not pushed: it changes files stored in Git LFS, and jj does not upload their content.`,
      remedy: `Push with Git: git push ${remote} ${bookmark}. Hox detects the push.`,
    });
  }
}
