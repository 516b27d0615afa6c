/** Notes on their way to a remote and back. jj pushes branches alone, so Git does it, with what a push may see. */
import { notesRef } from "#shared/domain/graph-words/change-note.ts";
import { childEnvironment } from "../config/child-environment.ts";
import { findTool } from "../config/tools.ts";
import { runProgram } from "../processes/run-program.ts";
import { JjError } from "./errors.ts";
import { remoteEnvironment } from "./git-process.ts";
import type { NotesStore } from "./notes.ts";
import { gitFolderOf } from "./op-heads.ts";
import type { GitInterop } from "./ports/git-interop.ts";
import type { Identity } from "./process.ts";
import type { WriteQueue } from "./queue.ts";

export interface PushNotesParts {
  readonly root: string;
  readonly queue: WriteQueue;
  readonly notes: NotesStore;
  readonly identity: () => Promise<Identity | null>;
}

const patienceMs = 120_000;
/** Others may push between our fetch and our push. */
const maxAttempts = 3;

/** Where the notes of a remote are kept as they were last seen there. */
const remoteRef = (remote: string): string => `refs/notes/remotes/${remote}/hox`;

/** Makes the part that pushes notes and says how many there are to push. */
export function createPushNotes({ root, queue, notes, identity }: PushNotesParts): Pick<
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
