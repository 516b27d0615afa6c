/** `hox sessions`: sessions of other agents that work in this repository. (AX-2..4) */
import { todoProgress } from "#shared/domain/orientation/todo-events.ts";
import {
  expiryLabels,
  type OutsideSession,
  sessionKindNames,
  sessionName,
  sessionOrientation,
} from "#shared/domain/sessions/outside-session.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { folderView } from "../api/folders.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { type FoundSession, findSessions, sessionExpiryMs } from "../sessions/find-sessions.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, folderOf } from "./command-line.ts";
import { orientationJson } from "./orientation.ts";
import { print, printJson } from "./output.ts";
import { configIn } from "./trust.ts";

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
  const view = await folderView(folderOf(options));
  if (view.kind !== "jj") {
    if ("remedy" in view) throw new CommandError(view.reason, view.remedy);
    throw new CommandError(
      `${view.root} is not a jj repository.`,
      "Run `hox init` there, or choose another folder with --repo.",
    );
  }
  const { config } = await configIn(view.root);
  if (!config.sessions.enabled)
    throw new CommandError(
      "Sessions of other agents are off.",
      "Set enabled = true in [sessions] of .hox/config.toml.",
    );
  const stateFolder = repositoryStateFolder(defaultStateFolder(), view.root);
  const found = await findSessions({
    root: view.root,
    stateFolder,
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
