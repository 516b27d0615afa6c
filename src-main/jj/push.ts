/** A bookmark to its remote, after a look at exactly what would move there. (design section 3) */

import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { JjError } from "./errors.ts";
import type { Lfs } from "./lfs.ts";
import type { Jj, JjOutput } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import { exactFile } from "./read-access.ts";
import type { Reader } from "./reader.ts";
import type { Repository } from "./repository-interface.ts";
import { beginUnpublished } from "./unpublished.ts";

/** More than anybody reads before a yes; how many there are is said all the same. */
const mostChanges = 500;
/** A command line has room for no more. */
const filesAtOnce = 200;

/** A name inside jj's string patterns and revsets: nothing in it is a pattern. */
const exact = (name: string): string => `exact:${JSON.stringify(name)}`;

/** Makes the part that speaks with remotes. */
export function createPush(parts: {
  readonly jj: Jj;
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Pick<Reader, "query">;
  readonly lfs: Pick<Lfs, "files">;
  /** The one current operation; to be called from inside the queue. */
  readonly settle: () => Promise<string>;
}): Pick<Repository, "previewPush" | "push"> {
  const { jj, root, queue, reader, lfs, settle } = parts;
  const pushed = (bookmark: string): readonly string[] => [
    "--ignore-working-copy",
    "git",
    "push",
    "--bookmark",
    exact(bookmark),
  ];
  const read = (args: readonly string[]) => jj.run({ args: ["-R", root, ...args], cwd: root });
  const track = (bookmark: string, remote: string): readonly string[] => [
    ...["--ignore-working-copy", "bookmark", "track", exact(bookmark), "--remote", exact(remote)],
  ];

  /**
   * Where jj would push a branch that it does not follow there yet, as after `git clone`: it refuses those, and following
   * one that has moved on would make the local one stand in two places.
   * @returns null where nothing has to be followed first
   */
  async function untrackedAt(bookmark: string, error: unknown): Promise<string | null> {
    const said = error instanceof JjError ? error.stderr : "";
    const remote = /Non-tracking remote bookmark (.+) exists/u.exec(said)?.[1]?.slice(bookmark.length + 1);
    if (remote === undefined) return null;
    const theirs = `remote_bookmarks(${exact(bookmark)}, ${exact(remote)})`;
    const ahead = await reader.query(`${theirs} ~ ::bookmarks(${exact(bookmark)})`, { limit: 1 });
    if (ahead.length === 0) return remote;
    throw new JjError({
      kind: "failed",
      message: `${remote}/${bookmark} has commits that ${bookmark} has not; nothing was pushed.`,
      remedy: `Bring both together (\`git pull\` on ${bookmark}), then push.`,
    });
  }

  /** What a push would do, also to a branch that jj would have to follow first. */
  async function dryRun(bookmark: string): Promise<JjOutput & { readonly follows: string | null }> {
    const args = [...pushed(bookmark), "--dry-run"];
    try {
      return { ...(await read(args)), follows: null };
    } catch (error) {
      const remote = await untrackedAt(bookmark, error);
      if (remote === null) throw error;
      const row = beginUnpublished(jj, root, await settle());
      await row.run(track(bookmark, remote));
      return { ...(await read([`--at-op=${row.operation()}`, ...args])), follows: remote };
    }
  }

  const previewPush: Repository["previewPush"] = async (bookmark) => {
    const { stdout } = await read(["--ignore-working-copy", "git", "remote", "list"]);
    const remotes = stdout.split("\n").flatMap((line) => line.split(" ")[0] || []);
    if (remotes.length === 0) return { bookmark, remote: null, moves: [], changes: [] };
    const said = await dryRun(bookmark).catch((error: unknown) => {
      throw explained(error, bookmark);
    });
    if (/No matching bookmarks/u.test(said.stderr))
      throw new JjError({ kind: "no-such-bookmark", message: `There is no bookmark ${bookmark}.` });
    const lines = said.stderr.split("\n");
    const remote = lines.flatMap((line) => /^Changes to push to (.+):$/u.exec(line)?.[1] ?? [])[0];
    const moves = lines.filter((line) => line.startsWith("  ")).map((line) => line.trim());
    if (remote === undefined || moves.length === 0)
      return {
        bookmark,
        remote: remotes.find((name) => name === "origin") ?? remotes[0] ?? null,
        moves: [],
        changes: [],
      };
    const range = `(::bookmarks(${exact(bookmark)}) ~ ::remote_bookmarks(remote=${exact(remote)}) ~ root())`;
    const changes = await reader.query(range, { limit: mostChanges });
    await refuseLfs(bookmark, remote, range);
    return {
      bookmark,
      remote,
      moves,
      changes: changes.map(({ changeId, description }) => ({
        changeId,
        title: parseDescription(description).subject,
      })),
    };
  };

  /** jj sends commits, and what their pointers stand for stays behind: nobody who pulls them would get it. */
  async function refuseLfs(bookmark: string, remote: string, range: string): Promise<void> {
    const [tip] = await reader.query(`bookmarks(${exact(bookmark)})`, { limit: 1 });
    const files = tip ? await lfs.files(tip.commitId) : [];
    for (let at = 0; at < files.length; at += filesAtOnce) {
      const few = files.slice(at, at + filesAtOnce);
      const [change] = await reader.query(`${range} & files(${few.map(exactFile).join("|")})`, { limit: 1 });
      if (!change) continue;
      throw new JjError({
        kind: "failed",
        message: `${bookmark} was not pushed: it changes files that Git LFS keeps, and jj does not send their content.`,
        remedy: `Push with Git itself: git push ${remote} ${bookmark}. Hox sees it at once.`,
      });
    }
  }

  return {
    previewPush,
    push: (bookmark, moves, options) =>
      queue.exclusive(async () => {
        const now = await previewPush(bookmark);
        if (now.remote === null)
          throw new JjError({
            kind: "failed",
            message: "This repository has no remote.",
            remedy: "Add one with `jj git remote add origin <url>`, then push.",
          });
        if (now.moves.join("\n") !== moves.join("\n"))
          throw new JjError({
            kind: "rewritten",
            message: `What would be pushed of ${bookmark} has changed since it was shown.`,
            remedy: "Look at it again, then push.",
          });
        try {
          const { follows } = await dryRun(bookmark);
          if (follows !== null)
            await queue.write({ args: track(bookmark, follows), folder: root, options, describes: [] });
          const { operation } = await queue.write({
            args: pushed(bookmark),
            folder: root,
            isPush: true,
            options,
            describes: [],
          });
          return { operation };
        } catch (error) {
          throw explained(error, bookmark);
        }
      }),
  };
}

/** What a remote or jj has against it, with the way out. Nothing was pushed then. */
function explained(error: unknown, bookmark: string): unknown {
  if (!(error instanceof JjError) || error.kind === "timeout" || error.kind === "aborted") return error;
  const { stderr } = error;
  // In our own words already.
  if (stderr === "") return error;
  if (/does not recognize required option|requires git/u.test(stderr))
    return new JjError({
      kind: "failed",
      message: `${bookmark} was not pushed: the installed git is too old for jj, which asks for 2.42 or later.`,
      remedy: `Push with Git itself: git push <remote> ${bookmark}. Hox sees it at once.`,
      stderr,
      cause: error,
    });
  if (/unexpectedly moved on the remote/u.test(stderr))
    return new JjError({
      kind: "failed",
      message: `${bookmark} has moved on the remote since it was last fetched; nothing was pushed.`,
      remedy: `Fetch with \`jj git fetch\`, bring both together, then push.`,
      stderr,
      cause: error,
    });
  return new JjError({
    kind: "failed",
    message: `${bookmark} was not pushed: ${error.message}`,
    remedy: /no author/u.test(stderr)
      ? `Tell jj who you are (\`jj config set --user user.name …\`, and user.email), then \`jj metaedit --update-author -r '::${bookmark} & mutable()'\`.`
      : /no description/u.test(stderr)
        ? "Describe that change, then push."
        : `Mend that, or try \`jj git push --bookmark ${bookmark}\` in a terminal, where it may ask for a password.`,
    stderr,
    cause: error,
  });
}
