/**
 * `hox notify`: reports of other programs' sessions, called by Codex after a turn (the payload is the last
 * argument) and by Claude Code as a hook (on stdin). It never disturbs the caller: stdout, which a hook would
 * read, stays empty, and the exit code is 0.
 */
import { existsSync } from "node:fs";
import { defaultStateFolder, repositoryStateFolder } from "../../config/state-folder.ts";
import { saveReported } from "../../sessions/find-sessions.ts";
import { maxNotificationLength, readNotification, repositoryOf } from "../../sessions/notification.ts";
import { type ExitCode, exitCode, invocationFolder } from "../command-line.ts";
import { printError } from "../output.ts";

/** A program that keeps its end of the pipe open is not waited for longer. */
const maxWaitMs = 1_000;

/** @param given arguments; the last one that is JSON is the payload. None: it comes on stdin */
export async function notify(given: readonly string[]): Promise<ExitCode> {
  try {
    const text = given.findLast((word) => word.trimStart().startsWith("{")) ?? (await fromStdin());
    const session = readNotification(text, Date.now(), invocationFolder());
    if (session === null) return ignored("unknown notification");
    const root = repositoryOf(session.folder);
    if (root === null) return ignored(`${session.folder} is not in a jj repository`);
    const stateFolder = repositoryStateFolder(defaultStateFolder(), root);
    // Hooks are called for all of the user's projects: those that Hox never opened are ignored.
    if (!existsSync(stateFolder)) return ignored(`Hox has not been used in ${root}`);
    await saveReported(stateFolder, session);
    return exitCode.done;
  } catch (error) {
    return ignored(error instanceof Error ? error.message : String(error));
  }
}

/** Not the caller's error; a variable shows the reason for debugging. */
function ignored(why: string): ExitCode {
  if (process.env.HOX_DEBUG) printError(`hox notify: ${why}`);
  return exitCode.done;
}

async function fromStdin(): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const end = setTimeout(() => process.stdin.destroy(), maxWaitMs);
  try {
    for await (const part of process.stdin as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > maxNotificationLength) break;
      parts.push(part);
    }
  } catch {
    // It was closed while it was read: what came is looked at.
  } finally {
    clearTimeout(end);
  }
  return Buffer.concat(parts).toString("utf8");
}
