/** `hox sessions`: sessions of other agents that work in this repository. (AX-2..4) */

import { todoProgress } from "#shared/domain/orientation/todo-events.ts";
import {
  expiryLabels,
  type OutsideSession,
  sessionKindNames,
  sessionKinds,
  sessionName,
  sessionOrientation,
} from "#shared/domain/sessions/outside-session.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { askSession, SessionCannotAnswer } from "../../sessions/ask-session.ts";
import { type FoundSession, findSessions, sessionExpiryMs } from "../../sessions/find-sessions.ts";
import { CommandError, type CommonOptions, cancellable, type ExitCode, exitCode } from "../command-line.ts";
import { orientationJson } from "../inspect/orientation.ts";
import { print, printError, printJson, printPart } from "../output.ts";
import { jjRootOf, stateFolderOf } from "../repository.ts";
import type { RunClient } from "../run/run-client.ts";
import { configIn } from "./config.ts";

const hour = 3_600_000;
/** Maximum age of old ones. */
const backMs = 30 * 24 * hour;

interface Options extends CommonOptions {
  readonly all?: boolean;
}

/** Reads files only, so that it works while the app is open, and without a run. */
export async function sessions(options: Options): Promise<ExitCode> {
  const found = await sessionsOf(options);
  if (options.json) for (const one of found) printJson(sessionJson(one));
  else if (found.length === 0)
    print(options.all ? "No sessions of other agents found." : "No active sessions of other agents.");
  else for (const one of found) for (const line of sessionLines(one)) print(line);
  return exitCode.done;
}

/** @throws CommandError if there is no repository, or sessions are switched off */
export async function sessionsOf(options: Options): Promise<readonly FoundSession[]> {
  const root = await jjRootOf(options);
  const { config } = await configIn(root);
  if (!config.sessions.enabled)
    throw new CommandError(
      "Sessions of other agents are off.",
      "Set enabled = true in [sessions] of .hox/config.toml.",
    );
  const found = await findSessions({
    root,
    stateFolder: stateFolderOf(root),
    now: Date.now(),
    maxQuietMs: sessionExpiryMs,
    ...(options.all ? { backMs } : {}),
  });
  return options.all ? found : found.filter(({ expiry }) => expiry === null);
}

const sessionJson = ({ session, expiry }: FoundSession) => ({
  session: sessionName(session),
  kind: session.kind,
  id: session.id,
  folder: session.folder,
  source: session.source,
  expired: expiry,
  ...orientationJson(sessionOrientation(session)),
});

const signs = { pending: " ", in_progress: ">", completed: "x" } as const;

function sessionLines({ session, expiry }: FoundSession): readonly string[] {
  const { goal, plan, todos, branch } = sessionOrientation(session);
  const progress = todoProgress(todos);
  return [
    `${sessionName(session)}  ${sessionKindNames[session.kind]}, ${formatAge(session)}${branch === null ? "" : `, on ${shownLine(branch)}`}${expiry === null ? "" : ` (no longer shared with agents: ${expiryLabels[expiry]})`}`,
    `  goal: ${goal === "" ? "unknown" : shownLine(goal)}`,
    ...(plan === null ? [] : [`  plan: ${shownLine(plan.source)}`]),
    ...(progress === null
      ? []
      : [
          `  todos: ${progress.completed} of ${progress.all}${progress.active === null ? "" : `, ${shownLine(progress.active)}`}`,
          ...todos.map(({ content, status }) => `    [${signs[status]}] ${shownLine(content)}`),
        ]),
    `  from: ${shownLine(session.source)}`,
  ];
}

function formatAge({ lastActivityAt }: OutsideSession): string {
  const minutes = Math.max(0, Math.round((Date.now() - lastActivityAt) / 60_000));
  return minutes < 1
    ? "just now"
    : minutes < 120
      ? `${minutes} min ago`
      : `${Math.round(minutes / 60)} h ago`;
}

/** Ctrl-C cancels only the question: the worker continues. */
export async function askQuestion(
  who: string,
  words: readonly string[],
  options: CommonOptions,
): Promise<ExitCode> {
  const question = words.join(" ").trim();
  if (question === "")
    throw new CommandError("No question given.", `hox ask ${who} "What is left to do?"`, exitCode.usage);
  return cancellable(async ({ signal }) => {
    const session = await sessionCalled(who, options);
    if (session) return ofSession(session, question, options, signal);
    const { withRunClient } = await import("../run/run-client.ts");
    return withRunClient(options, (client) => ofRun(client, who, question, options, signal));
  });
}

/** Nobody in a run has a name that begins so, or is one of a session's ids. */
const isNameOfSession = (who: string): boolean =>
  sessionKinds.some((kind) => who.startsWith(`${kind}-`)) || /^[0-9a-f]{8}-[0-9a-f-]{27,}$/u.test(who);

/** @throws CommandError where the name fits several, or none that is there */
async function sessionCalled(who: string, options: CommonOptions): Promise<OutsideSession | null> {
  if (!isNameOfSession(who)) return null;
  const all = (await sessionsOf({ ...options, all: true })).map(({ session }) => session);
  const called = all.filter((session) => session.id === who || sessionName(session) === who);
  const fitting = called.length > 0 ? called : all.filter((session) => sessionName(session).startsWith(who));
  const [found, ...others] = fitting;
  if (found && others.length === 0) return found;
  throw new CommandError(
    found
      ? `${who} matches several sessions: ${fitting.map(({ id }) => id).join(", ")}.`
      : `No session ${who} in this repository.`,
    found ? "Give the full id." : "List them: hox sessions --all",
    exitCode.usage,
  );
}

async function ofSession(
  session: OutsideSession,
  question: string,
  options: CommonOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  try {
    const { text, microDollars } = await askSession(session, question, signal);
    if (options.json) printJson({ kind: "answer", who: sessionName(session), text, microDollars });
    else {
      print(text);
      printError(
        microDollars === null
          ? `${sessionName(session)} answered, billed to your own account.`
          : `${sessionName(session)} answered for $${(microDollars / 1e6).toFixed(4)}, billed to your own account.`,
      );
    }
    return exitCode.done;
  } catch (error) {
    if (signal.aborted) return exitCode.interrupted;
    throw error instanceof SessionCannotAnswer ? new CommandError(error.message, error.remedy) : error;
  }
}

async function ofRun(
  client: RunClient,
  who: string,
  question: string,
  options: CommonOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { id } = await client.execute("run.ask", { run: (await client.run(who)).id, who, question });
  let text = "";
  for (;;) {
    const more = client.execute("run.askMore", { id, after: text.length });
    const interrupted = new Promise<null>((resolve) => {
      if (signal.aborted) resolve(null);
      signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    const progress = await Promise.race([more, interrupted]);
    if (progress === null) {
      // The rest of the answer is not needed any more.
      more.catch(() => undefined);
      await client.execute("run.cancelAsk", { id });
      return exitCode.interrupted;
    }
    text += progress.text;
    if (!options.json) printPart(progress.text);
    switch (progress.end?.kind) {
      case undefined:
        break;
      case "cancelled":
        return exitCode.interrupted;
      case "failed":
        if (text !== "" && !options.json) print();
        throw new CommandError(progress.end.message, progress.end.remedy);
      case "answered": {
        const { microDollars } = progress.end;
        if (options.json) printJson({ kind: "answer", who, text, microDollars });
        else {
          if (!text.endsWith("\n")) print();
          printError(`${who} answered for $${(microDollars / 1e6).toFixed(4)}.`);
        }
        return exitCode.done;
      }
    }
  }
}
