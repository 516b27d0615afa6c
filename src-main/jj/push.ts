/** A bookmark to its remote, after a look at exactly what would move there. (design section 3) */

import { parseDescription } from "#shared/domain/trailers.ts";
import { JjError } from "./errors.ts";
import type { Lfs } from "./lfs.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import { exactFile, type Reader } from "./reader.ts";
import type { Repository } from "./repository-interface.ts";

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
}): Pick<Repository, "previewPush" | "push"> {
  const { jj, root, queue, reader, lfs } = parts;
  const pushed = (bookmark: string): readonly string[] => [
    "--ignore-working-copy",
    "git",
    "push",
    "--bookmark",
    exact(bookmark),
  ];
  const read = (args: readonly string[]) => jj.run({ args: ["-R", root, ...args], cwd: root });

  const previewPush: Repository["previewPush"] = async (bookmark) => {
    const { stdout } = await read(["--ignore-working-copy", "git", "remote", "list"]);
    const remotes = stdout.split("\n").flatMap((line) => line.split(" ")[0] || []);
    if (remotes.length === 0) return { bookmark, remote: null, moves: [], changes: [] };
    const said = await read([...pushed(bookmark), "--dry-run"]).catch((error: unknown) => {
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
