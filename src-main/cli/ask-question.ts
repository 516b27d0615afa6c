/** `hox ask`: asks a worker, an archangel or a session outside Hox something, and prints the answer. (AX-2) */
import { type OutsideSession, sessionKinds, sessionName } from "#shared/domain/sessions/outside-session.ts";
import { askSession, SessionCannotAnswer } from "../sessions/ask-session.ts";
import { CommandError, type CommonOptions, cancellable, type ExitCode, exitCode } from "./command-line.ts";
import { print, printError, printJson, printPart } from "./output.ts";
import { type RunClient, withRunClient } from "./run-client.ts";
import { sessionsOf } from "./sessions.ts";

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
