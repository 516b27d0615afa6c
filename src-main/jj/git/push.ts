/** A bookmark to its remote, after a look at exactly what would move there. (design section 3) */

import type { PushPreview } from "#shared/contract/commands/run.ts";
import { notesRef } from "#shared/domain/change-metadata/change-note.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { childEnvironment } from "../../config/child-environment.ts";
import { findTool } from "../../config/tools.ts";
import { runProgram } from "../../processes/run-program.ts";
import type { GitInterop } from "../ports/git-interop.ts";
import type { Repository } from "../ports/repository-interface.ts";
import { JjError } from "../process/errors.ts";
import { remoteEnvironment } from "../process/git-process.ts";
import { gitFolderOf } from "../process/op-heads.ts";
import type { Identity, JjOutput } from "../process/process.ts";
import { exactFile } from "../read/read-access.ts";
import { beginUnpublished } from "../read/unpublished.ts";
import type { RepositoryParts } from "../write/writer-parts.ts";

/** Makes the part that speaks with remotes. */
export function createPush(
  shared: RepositoryParts,
  notesToPush: (remote: string) => Promise<number>,
): Pick<Repository, "remotes" | "previewPush" | "push" | "fetchBranch"> {
  const { root, queue } = shared;
  const parts: PreviewParts = { ...shared, notesToPush };
  const push: Repository["push"] = async (bookmark, moves, options) => {
    const now = await previewPush(parts, bookmark, options?.remote);
    if (now.remote === null)
      throw new JjError({
        kind: "failed",
        message: "This repository has no remote.",
        remedy: "Add one with `jj git remote add origin <url>`, then push.",
      });
    if (now.moves.join("\n") !== moves.join("\n"))
      throw new JjError({
        kind: "rewritten",
        message: `${bookmark} has changed since the preview.`,
        remedy: "Check the new preview, then push.",
      });
    const write = (args: readonly string[], isPush: boolean) =>
      queue.write({ args, folder: root, isPush, options, describes: [] });
    try {
      const { follows } = await tryPush(parts, bookmark, options?.remote);
      if (follows !== null) await write(trackArguments(bookmark, follows), false);
      const { operation } = await write(pushArguments(bookmark, options?.remote), true);
      return { operation };
    } catch (error) {
      throw explainPushError(error, bookmark);
    }
  };

  const fetchBranch: Repository["fetchBranch"] = async (branch, options) => {
    const remote = options?.remote ?? defaultOf(await namesOfRemotes(parts));
    if (remote === null) return { remote };
    const from = ["--branch", exact(branch), "--remote", exact(remote)];
    const args = ["--ignore-working-copy", "git", "fetch", ...from];
    await queue.write({ args, folder: root, isPush: true, options });
    return { remote };
  };

  return {
    fetchBranch: (...order) => queue.exclusive(() => fetchBranch(...order)),
    remotes: () => remotesOf(parts),
    previewPush: (bookmark, remote) => previewPush(parts, bookmark, remote),
    push: (...order) => queue.exclusive(() => push(...order)),
  };
}

/**
 * What a remote or jj has against a push, with the way out. Nothing was pushed then.
 * @returns the error itself where it says enough already
 */
function explainPushError(error: unknown, bookmark: string): unknown {
  if (!(error instanceof JjError) || error.kind === "timeout" || error.kind === "aborted") return error;
  const { stderr } = error;
  // In our own words already.
  if (stderr === "") return error;
  return new JjError({ kind: "failed", ...messageFor(error, bookmark), stderr, cause: error });
}

/** The remote branch that jj refuses to push to because it does not follow it, as after `git clone`; null for other errors. */
function untrackedRemote(error: unknown, bookmark: string): string | null {
  const stderr = error instanceof JjError ? error.stderr : "";
  const branch = /Non-tracking remote bookmark (.+) exists/u.exec(stderr)?.[1];
  return branch?.slice(bookmark.length + 1) ?? null;
}

function messageFor(
  { stderr, message }: JjError,
  bookmark: string,
): { readonly message: string; readonly remedy: string } {
  if (/does not recognize required option|requires git/u.test(stderr))
    return {
      message: `${bookmark} was not pushed: the installed git is too old for jj, which requires 2.42 or later.`,
      remedy: `Push with Git: git push <remote> ${bookmark}. Hox detects the push.`,
    };
  if (/unexpectedly moved on the remote/u.test(stderr))
    return {
      message: `${bookmark} has moved on the remote since the last fetch. Nothing was pushed.`,
      remedy: `Fetch with \`jj git fetch\`, merge both sides, then push.`,
    };
  return { message: `${bookmark} was not pushed: ${message}`, remedy: remedyFor(stderr, bookmark) };
}

function remedyFor(stderr: string, bookmark: string): string {
  if (/no author/u.test(stderr))
    return `Set your name and email in jj (\`jj config set --user user.name …\`, and user.email), then \`jj metaedit --update-author -r '::${bookmark} & mutable()'\`.`;
  if (/no description/u.test(stderr)) return "Describe that change, then push.";
  return `Fix that, or try \`jj git push --bookmark ${bookmark}\` in a terminal, where it may ask for a password.`;
}

/** More than anyone reads before confirming; their number is shown anyway. */
const maxChanges = 500;
/** A command line has room for no more. */
const filesAtOnce = 200;

interface PreviewParts extends RepositoryParts {
  /** How many commits have notes that the remote was not seen to have. */
  readonly notesToPush: (remote: string) => Promise<number>;
}

/** jj's output of a push's dry run. */
interface TriedPush extends JjOutput {
  /** The remote whose branch has to be followed first; null where nothing has. */
  readonly follows: string | null;
}

/** Where it goes if nobody says where. */
const defaultOf = (remotes: readonly string[]): string | null =>
  remotes.find((name) => name === "origin") ?? remotes[0] ?? null;

/** Arguments that push a bookmark. @param remote default: as jj is configured */
const pushArguments = (bookmark: string, remote: string | undefined): readonly string[] => [
  ...["--ignore-working-copy", "git", "push", "--bookmark", exact(bookmark)],
  ...(remote === undefined ? [] : ["--remote", exact(remote)]),
];

/** Arguments that make a bookmark follow its branch at a remote. */
const trackArguments = (bookmark: string, remote: string): readonly string[] => [
  ...["--ignore-working-copy", "bookmark", "track", exact(bookmark), "--remote", exact(remote)],
];

/** A name inside jj's string patterns and revsets: nothing in it is a pattern. */
const exact = (name: string): string => `exact:${JSON.stringify(name)}`;

const readJj = ({ jj, root }: RepositoryParts, args: readonly string[]): Promise<JjOutput> =>
  jj.run({ args: ["-R", root, ...args], cwd: root });

/**
 * Tries a push out, also one to a branch that jj would have to follow first.
 * @throws JjError where the push would fail, in jj's words
 */
async function tryPush(parts: PreviewParts, bookmark: string, to: string | undefined): Promise<TriedPush> {
  const args = [...pushArguments(bookmark, to), "--dry-run"];
  try {
    return { ...(await readJj(parts, args)), follows: null };
  } catch (error) {
    const remote = untrackedRemote(error, bookmark);
    if (remote === null) throw error;
    await refuseToFollowAhead(parts, bookmark, remote);
    const row = beginUnpublished(parts.jj, parts.root, await parts.current());
    await row.run(trackArguments(bookmark, remote));
    return { ...(await readJj(parts, [`--at-op=${row.operation()}`, ...args])), follows: remote };
  }
}

/** Tracking a branch that is ahead would make the local one conflicted. */
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
async function previewPush(
  parts: PreviewParts,
  bookmark: string,
  to: string | undefined,
): Promise<PushPreview> {
  const remotes = await namesOfRemotes(parts);
  if (remotes.length === 0) return { bookmark, remote: null, moves: [], changes: [], notes: 0 };
  const tried = await tryPush(parts, bookmark, to).catch((error: unknown) => {
    throw explainPushError(error, bookmark);
  });
  if (/No matching bookmarks/u.test(tried.stderr))
    throw new JjError({ kind: "no-such-bookmark", message: `No bookmark ${bookmark}.` });
  const { remote, moves } = movesIn(tried);
  if (remote === null || moves.length === 0) {
    const there = to ?? defaultOf(remotes);
    const notes = there === null ? 0 : await parts.notesToPush(there);
    return { bookmark, remote: there, moves: [], changes: [], notes };
  }
  const unpushed = `(::bookmarks(${exact(bookmark)}) ~ ::remote_bookmarks(remote=${exact(remote)}) ~ root())`;
  const changes = await parts.reader.query(unpushed, { limit: maxChanges });
  await refuseLfs(parts, bookmark, remote, unpushed);
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

/** The remotes with their addresses, as jj lists them. */
async function remotesOf(
  parts: RepositoryParts,
): Promise<readonly { readonly name: string; readonly url: string }[]> {
  const { stdout } = await readJj(parts, ["--ignore-working-copy", "git", "remote", "list"]);
  return stdout.split("\n").flatMap((line) => {
    const [name = "", url = ""] = line.split(" ");
    return name === "" ? [] : [{ name, url }];
  });
}

const namesOfRemotes = async (parts: RepositoryParts): Promise<readonly string[]> =>
  (await remotesOf(parts)).map(({ name }) => name);

/** jj sends commits but not LFS content, so pulling them would fail. */
async function refuseLfs(
  { reader, lfs }: PreviewParts,
  bookmark: string,
  remote: string,
  unpushed: string,
): Promise<void> {
  const [tip] = await reader.query(`bookmarks(${exact(bookmark)})`, { limit: 1 });
  const files = tip ? await lfs.files(tip.commitId) : [];
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const few = files.slice(at, at + filesAtOnce);
    const [change] = await reader.query(`${unpushed} & files(${few.map(exactFile).join("|")})`, { limit: 1 });
    if (!change) continue;
    throw new JjError({
      kind: "failed",
      message: `${bookmark} was not pushed: it changes files stored in Git LFS, and jj does not upload their content.`,
      remedy: `Push with Git: git push ${remote} ${bookmark}. Hox detects the push.`,
    });
  }
}

const patienceMs = 120_000;
/** Others may push between our fetch and our push. */
const maxAttempts = 3;

/** Where the notes of a remote are kept as they were last seen there. */
const remoteRef = (remote: string): string => `refs/notes/remotes/${remote}/hox`;

/**
 * Makes the part that pushes notes and says how many there are to push. jj pushes branches alone, so Git does it, with
 * what a push may see.
 */
export function createPushNotes({ root, queue, notes, identity }: RepositoryParts): Pick<
  GitInterop,
  "pushNotes"
> & {
  /** How many commits have notes, where the remote was not seen to have these; else 0. Asks no server. */
  notesToPush(remote: string): Promise<number>;
} {
  async function pushNotes(remote: string): Promise<void> {
    const run = await gitFor(root, await identity());
    for (let attempt = 1; ; attempt++) {
      const pushed = await run(["push", "--no-verify", "--porcelain", remote, `${notesRef}:${notesRef}`]);
      if (pushed.exitCode === 0) break;
      const isBehind = /\[rejected\]/u.test(pushed.stdout);
      if (!isBehind || attempt === maxAttempts) throw notPushed(remote, pushed.stderr);
      // Both sides stay: a note that only one of them changed is theirs, of one that both did all lines are kept.
      const theirs = remoteRef(remote);
      for (const args of [
        ["fetch", "--no-tags", "--no-write-fetch-head", remote, `+${notesRef}:${theirs}`],
        ["notes", `--ref=${notesRef}`, "merge", "--quiet", "--strategy=union", theirs],
      ]) {
        const done = await run(args);
        if (done.exitCode !== 0) throw notPushed(remote, done.stderr);
      }
    }
    await run(["update-ref", remoteRef(remote), notesRef]);
  }

  return {
    pushNotes: (remote) => queue.exclusive(() => pushNotes(remote)),
    async notesToPush(remote) {
      const [tip, seen] = await Promise.all([notes.tip(), notes.tip(remoteRef(remote))]);
      return tip === null || tip === seen ? 0 : (await notes.read()).byCommit.size;
    },
  };
}

/** Runs Git with the user's own settings: nothing that the repository alone names is started. */
async function gitFor(root: string, identity: Identity | null) {
  const tool = findTool("git");
  if (!tool.found) throw new JjError({ kind: "failed", message: "Git was not found.", remedy: tool.remedy });
  const folder = await gitFolderOf(root);
  const { name, email } = identity ?? { name: "Hox", email: "hox@hox.invalid" };
  const own = {
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
  };
  const settings = await remoteEnvironment(folder, { ...childEnvironment("remote"), ...own });
  return async (args: readonly string[]) => {
    const output: Uint8Array[] = [];
    const safe = ["--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
    const ended = await runProgram(
      {
        program: tool.path,
        args: [...safe, "--git-dir", folder, ...args],
        cwd: root,
        env: { ...childEnvironment("remote"), ...own, ...settings },
        timeoutMs: patienceMs,
      },
      (bytes) => void output.push(bytes),
    );
    return { ...ended, stdout: Buffer.concat(output).toString("utf8") };
  };
}

const notPushed = (remote: string, stderr: string): JjError =>
  new JjError({
    kind: "failed",
    message: `Run metadata was not pushed to ${remote}: ${stderr.trim().split("\n").at(-1) ?? ""}`,
    remedy: `Try it in a terminal, where Git can ask for a password: git push ${remote} ${notesRef}`,
    stderr,
  });
