/**
 * Asks a session outside Hox through its own program, in a fork of the session: its program reads the session's file and
 * writes another one, if any. Plan mode lets the fork read and keeps it from changing anything.
 */
import { existsSync } from "node:fs";
import {
  type OutsideSession,
  sessionKindNames,
  sessionName,
} from "#shared/domain/sessions/outside-session.ts";
import { endOf, startOf } from "#shared/domain/text/format-text.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { childEnvironment } from "../config/child-environment.ts";
import { onPath } from "../config/tools.ts";
import { runProgram } from "../processes/run-program.ts";
import { isSessionId } from "./claude-sessions.ts";
import { fieldsOf, parsedOf, textOf } from "./foreign-files.ts";

export interface SessionAnswer {
  readonly text: string;
  /** Charged to the user's account, as reported by the program; null if it does not. */
  readonly microDollars: number | null;
}

/** Why there is no answer, with what to do. */
export class SessionCannotAnswer extends RemediedError {
  override readonly name = "SessionCannotAnswer";
}

const maxAnswerBytes = 4 * 1024 * 1024;
const maxDurationMs = 15 * 60_000;

/**
 * @param environment the user's own: it is their program, with their account
 * @throws SessionCannotAnswer
 */
export async function askSession(
  session: OutsideSession,
  question: string,
  signal: AbortSignal,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<SessionAnswer> {
  const name = sessionName(session);
  if (session.kind === "codex")
    throw new SessionCannotAnswer(
      `${sessionKindNames.codex} can't be asked questions without writing to its session, which Hox does not do.`,
      `Ask it directly: codex resume ${session.id}`,
    );
  if (!isSessionId(session.id))
    throw new SessionCannotAnswer(`The ID of ${name} is not valid for Claude Code.`, "Ask it directly.");
  const program = onPath(["claude"], environment.PATH);
  if (program === undefined)
    throw new SessionCannotAnswer(
      `To ask ${name}, Hox needs the program claude, which is not on PATH.`,
      "Install it, or ask the session directly.",
    );
  if (!existsSync(session.folder))
    throw new SessionCannotAnswer(
      `The folder of ${name} does not exist: ${session.folder}`,
      "Claude Code can open a session only in its original folder. Restore the folder and retry.",
    );
  const args = [
    "-p",
    `--resume=${session.id}`,
    "--fork-session",
    "--permission-mode",
    "plan",
    "--output-format",
    "json",
  ];
  let stdout = "";
  const decoder = new TextDecoder();
  const { exitCode, stderr, isTimedOut } = await runProgram(
    {
      program,
      args,
      cwd: session.folder,
      env: childEnvironment("agent", environment),
      // Not an argument: a question could look like an option, and process lists show arguments.
      input: question,
      timeoutMs: maxDurationMs,
      signal,
    },
    (bytes) => {
      stdout += decoder.decode(bytes, { stream: true });
      return stdout.length < maxAnswerBytes;
    },
  );
  if (signal.aborted) throw new SessionCannotAnswer("The question was cancelled.", "");
  const fields = fieldsOf(parsedOf(stdout));
  const text = textOf(fields?.result) || (fields === null ? stdout.trim() : "");
  if (exitCode !== 0 || fields?.is_error === true || text === "")
    throw new SessionCannotAnswer(
      `Claude Code gave no answer (${isTimedOut ? "it took too long" : `exit code ${exitCode ?? "none"}`}): ${startOf(text, 500) || endOf(stderr.trim(), 500) || "no output"}`,
      `Try it yourself, in ${session.folder}: claude --resume ${session.id} --fork-session`,
    );
  const dollars = fields?.total_cost_usd;
  return { text, microDollars: typeof dollars === "number" ? Math.round(dollars * 1e6) : null };
}
