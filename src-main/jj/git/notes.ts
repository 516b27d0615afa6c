/** Metadata of landed commits in Git notes: read in one go and remembered for as long as their ref stays the same. */
import { join } from "node:path";
import {
  addToNote,
  indexNotes,
  type Notes,
  noNotes,
  notesRef,
  parseNote,
} from "#shared/domain/change-metadata/change-note.ts";
import { findTool } from "../../config/tools.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { JjError } from "../process/errors.ts";
import { readGitCheckout } from "../process/git-checkout.ts";
import { type GitOutput, runGit, runGitBytes } from "../process/git-process.ts";
import { gitFolderOf } from "../process/op-heads.ts";
import type { Identity } from "../process/process.ts";

/** Blocks to be added to the note of a commit. */
interface NoteToWrite {
  readonly commitId: string;
  /** The change that the commit is. */
  readonly landedAs: string;
  readonly blocks: readonly string[];
}

export type NotesStore = ReturnType<typeof createNotes>;

/** Others may write at the same moment; each attempt starts from what they wrote. */
const maxAttempts = 5;
/** A repository of a large forge has some hundred thousand refs. */
const maxRefsBytes = 64 * 1024 * 1024;
/** Reading ten thousand notes takes a second on a slow disk. */
const patienceMs = 60_000;

/** Makes the notes of a workspace's repository. */
export function createNotes(root: string) {
  let folder: Promise<string> | undefined;
  let known: { readonly tip: string; readonly notes: Promise<Notes> } | null = null;
  /** Notes by the blob that holds them: of a ref that moved, only new ones are read. */
  let texts: ReadonlyMap<string, string> = new Map();
  let followsRewrites = false;
  const gitFolder = (): Promise<string> => {
    folder ??= gitFolderOf(root);
    return folder;
  };

  async function read(): Promise<Notes> {
    const at = await gitFolder();
    const tip = await tipOf(at);
    if (tip === null) return noNotes;
    if (known?.tip !== tip) {
      known = { tip, notes: readAll(at, tip) };
      known.notes.catch(() => {
        known = null;
      });
    }
    return known.notes;
  }

  async function readAll(at: string, tip: string): Promise<Notes> {
    const listed = await runGit({
      args: ["--git-dir", at, "ls-tree", "-r", "-z", "--full-tree", tip],
      cwd: at,
      timeoutMs: patienceMs,
    });
    if (listed.exitCode !== 0) throw notRead(listed);
    const entries = listed.stdout.split("\0").flatMap((line) => {
      const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t([0-9a-f/]+)$/u.exec(line) ?? [];
      const commitId = path?.replaceAll("/", "") ?? "";
      return blob !== undefined && blob.length === commitId.length ? [{ blob, commitId }] : [];
    });
    texts = await textsOf(
      at,
      entries.map(({ blob }) => blob),
      texts,
    );
    return indexNotes(entries.map(({ blob, commitId }) => parseNote(commitId, texts.get(blob) ?? "")));
  }

  return {
    /** The commit that a ref is at, by default the one of the notes; null where there is none. Starts no process. */
    tip: async (ref?: string): Promise<string | null> => tipOf(await gitFolder(), ref),
    /** Whether notes are available here: if the user's Git is used in the folder. */
    isAvailable: (): boolean => readGitCheckout(root) !== null && findTool("git").found,
    /** All notes. Starts no process while their ref stays the same. */
    read,
    /**
     * Adds notes atomically; concurrent additions are kept.
     * @throws JjError if git refuses
     */
    async write(wanted: readonly NoteToWrite[], author: Identity | null): Promise<void> {
      const at = await gitFolder();
      for (let attempt = 1; ; attempt++) {
        const tip = await tipOf(at);
        const { byCommit } = await read();
        const updates = wanted.flatMap(({ commitId, landedAs, blocks }) => {
          const before = byCommit.get(commitId)?.text ?? "";
          const text = addToNote(before, landedAs, blocks);
          return text === before ? [] : [{ commitId, text }];
        });
        if (updates.length === 0) return;
        const done = await runGit({
          args: ["--git-dir", at, "fast-import", "--quiet"],
          cwd: at,
          input: importStream(tip, updates, author),
        });
        if (done.exitCode === 0) break;
        const isBusy = /\.lock\b/u.test(done.stderr) || (await tipOf(at)) !== tip;
        if (attempt === maxAttempts || !isBusy) throw notWritten(done);
      }
      if (!followsRewrites) await followRewrites(at);
      followsRewrites = true;
    },
  };
}

/** Lets `git rebase` take notes along: the commits that it makes have lost the id that jj gave their change. */
async function followRewrites(gitFolder: string): Promise<void> {
  const config = ["--git-dir", gitFolder, "config"];
  const { stdout } = await runGit({ args: [...config, "--get-all", "notes.rewriteRef"], cwd: gitFolder });
  const isSet = stdout.split("\n").some((ref) => [notesRef, "refs/notes/*"].includes(ref));
  if (!isSet) await runGit({ args: [...config, "--add", "notes.rewriteRef", notesRef], cwd: gitFolder });
}

/** The commit that a ref is at, from Git's files alone; null where there are no notes. */
async function tipOf(gitFolder: string, ref: string = notesRef): Promise<string | null> {
  const text = (path: string): string | null => readBoundedFileOrNull(join(gitFolder, path), maxRefsBytes);
  const packed = (): string | undefined =>
    text("packed-refs")
      ?.split("\n")
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(" ")[0];
  const id = (text(ref) ?? packed())?.trim() ?? "";
  return /^[0-9a-f]{40,64}$/u.test(id) ? id : null;
}

/** The contents of blobs; those that are known already are not read again. */
async function textsOf(
  gitFolder: string,
  blobs: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const missing: string[] = [];
  for (const blob of new Set(blobs)) {
    const text = known.get(blob);
    if (text === undefined) missing.push(blob);
    else found.set(blob, text);
  }
  if (missing.length === 0) return found;
  const chunks: Uint8Array[] = [];
  const done = await runGitBytes(
    {
      args: ["--git-dir", gitFolder, "cat-file", "--batch", "--buffer"],
      cwd: gitFolder,
      input: `${missing.join("\n")}\n`,
      timeoutMs: patienceMs,
    },
    (bytes) => void chunks.push(bytes),
  );
  if (done.exitCode !== 0) throw notRead(done);
  const output = Buffer.concat(chunks);
  // Each one as `<id> blob <size>`, a line end, the content, a line end; `<id> missing` where a partial clone lacks it.
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf("\n", at);
    const [, blob, size] = /^(\S+) blob (\d+)$/u.exec(output.toString("latin1", at, end)) ?? [];
    at = end + 1;
    if (blob === undefined || size === undefined) continue;
    found.set(blob, output.toString("utf8", at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

function importStream(
  tip: string | null,
  updates: readonly { readonly commitId: string; readonly text: string }[],
  author: Identity | null,
): string {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const { name, email } = author ?? { name: "Hox", email: "hox@hox.invalid" };
  return [
    `commit ${notesRef}\n`,
    `committer ${bare(name)} <${bare(email)}> ${Math.floor(Date.now() / 1_000)} +0000\n`,
    data("Metadata of landed changes"),
    ...(tip === null ? [] : [`from ${tip}\n`]),
    ...updates.map(({ commitId, text }) => `N inline ${commitId}\n${data(text)}`),
  ].join("");
}

const bare = (text: string): string => text.replaceAll(/[<>\p{Cc}]/gu, " ").trim();

const notRead = ({ stderr }: Pick<GitOutput, "stderr">): JjError =>
  new JjError({
    kind: "failed",
    message: `The Git notes in ${notesRef} could not be read.`,
    remedy: "Check them with `git notes --ref=hox list`, then retry.",
    stderr,
  });

const notWritten = ({ stderr }: GitOutput): JjError =>
  new JjError({
    kind: "failed",
    message: `The metadata of landed changes could not be written to the Git notes in ${notesRef}.`,
    remedy: 'Fix what Git reports, or set `metadata = "trailers"` under [landing] in .hox/config.toml.',
    stderr,
  });
