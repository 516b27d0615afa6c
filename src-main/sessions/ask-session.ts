/**
 * Asks a session outside Hox through its own program, in a fork of the session: its program reads the session's file and
 * writes another one, if any. Plan mode lets the fork read and keeps it from changing anything.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import {
  type OutsideSession,
  sessionKindNames,
  sessionName,
} from "#shared/domain/sessions/outside-session.ts";
import { endOf, startOf } from "#shared/domain/text/cut-text.ts";
import { onPath } from "../config/tools.ts";
import { fieldsOf, parsedOf, textOf } from "./lenient.ts";

export interface SessionAnswer {
  readonly text: string;
  /** Of the person's own account, as the program says it; null where it does not. */
  readonly microDollars: number | null;
}

/** Why there is no answer, with what to do. */
export class SessionCannotAnswer extends Error {
  override readonly name = "SessionCannotAnswer";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

const longestAnswer = 4 * 1024 * 1024;

/**
 * @param environment the person's own: it is their program, with their account
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
      `${sessionKindNames.codex} can be asked nothing without writing into its session, and Hox does not.`,
      `Ask it where it runs: codex resume ${session.id}`,
    );
  const program = onPath(["claude"], environment.PATH);
  if (program === undefined)
    throw new SessionCannotAnswer(
      `${name} is asked through Claude Code, and the program claude is not on PATH.`,
      "Install it, or ask the session where it runs.",
    );
  if (!existsSync(session.folder))
    throw new SessionCannotAnswer(
      `The folder of ${name} is gone: ${session.folder}`,
      "Claude Code finds a session only from the folder that it worked in.",
    );
  const args = [
    "-p",
    "--resume",
    session.id,
    "--fork-session",
    "--permission-mode",
    "plan",
    "--output-format",
    "json",
  ];
  const { code, stdout, stderr } = await runProgram(program, args, {
    folder: session.folder,
    // On stdin: a question is no option, and stands in no list of processes.
    input: question,
    signal,
    environment,
  });
  if (signal.aborted) throw new SessionCannotAnswer("The question was taken back.", "");
  const fields = fieldsOf(parsedOf(stdout));
  const text = textOf(fields?.result) || (fields === null ? stdout.trim() : "");
  if (code !== 0 || fields?.is_error === true || text === "")
    throw new SessionCannotAnswer(
      `Claude Code gave no answer (exit code ${code ?? "none"}): ${startOf(text, 500) || endOf(stderr.trim(), 500) || "it said nothing"}`,
      `Try it yourself, in ${session.folder}: claude --resume ${session.id} --fork-session`,
    );
  const dollars = fields?.total_cost_usd;
  return { text, microDollars: typeof dollars === "number" ? Math.round(dollars * 1e6) : null };
}

interface ProgramOptions {
  readonly folder: string;
  readonly input: string;
  readonly signal: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
}

function runProgram(
  program: string,
  args: readonly string[],
  { folder, input, signal, environment }: ProgramOptions,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      signal,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8");
      child[name].on("data", (part: string) => {
        said[name] = startOf(said[name] + part, longestAnswer);
      });
    }
    child.once("error", (error) => (signal.aborted ? resolve({ code: null, ...said }) : reject(error)));
    child.once("close", (code) => resolve({ code, ...said }));
    // One that ends before it has read its question says why by itself.
    child.stdin.once("error", () => undefined);
    child.stdin.end(input);
  });
}
