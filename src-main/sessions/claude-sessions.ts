/**
 * Sessions of Claude Code in a repository, from the files that it stores: transcripts, plans, to-do lists,
 * team tasks. Read on request, and never written. (AX-3, AX-3b, AX-7)
 */
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Todo } from "#shared/domain/orientation/todo-events.ts";
import type { OutsideSession, SessionPlan, Timed } from "#shared/domain/sessions/outside-session.ts";
import { runInWorker } from "../worker-thread/run-in-worker.ts";
import type { JobInput } from "../worker-thread/worker-jobs.ts";
import { type NamedPlan, noFacts, readTranscript, type TranscriptFacts } from "./claude-transcript.ts";
import {
  type ForeignFile,
  foreignFile,
  foreignFiles,
  foreignFolders,
  foreignText,
  parsedOf,
  todosOf,
} from "./foreign-files.ts";

const limits = {
  /** Transcripts that are looked into, the newest first. */
  sessions: 50,
  /** Bytes of a transcript: its beginning and its end. */
  begin: 64 * 1024,
  end: 1024 * 1024,
  plan: 256 * 1024,
  todos: 256 * 1024,
  tasks: 200,
} as const;

/** Where Claude Code keeps what is its own. */
export const claudeFolder = (env: NodeJS.ProcessEnv = process.env, home = homedir()): string =>
  env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(home, ".claude");

/** How a folder's sessions are filed: every sign but letters and digits is a dash. Long names end in something else. */
const filedAs = (folder: string): string => folder.replaceAll(/[^A-Za-z0-9]/gu, "-").slice(0, 180);

/** Whether a path is in one of some folders. */
export const liesIn = (folders: readonly string[], path: string): boolean =>
  isAbsolute(path) &&
  folders.some((folder) => {
    const way = relative(folder, path);
    return way === "" || (!way.startsWith("..") && !isAbsolute(way));
  });

/**
 * @param folders the repository's own, in every spelling, and those of its workspaces
 * @param since older transcripts are not looked into, ms since 1970
 * @param home where Claude Code keeps what is its own
 */
export async function claudeSessions(
  folders: readonly string[],
  since: number,
  home: string = claudeFolder(),
): Promise<readonly OutsideSession[]> {
  const projects = join(home, "projects");
  const filed = folders.map(filedAs);
  const names = (await foreignFolders(projects)).filter((name) => filed.some((own) => name.startsWith(own)));
  const found = await Promise.all(
    names.map((name) => foreignFiles(join(projects, name), ".jsonl", limits.sessions)),
  );
  const newest = found
    .flat()
    // Older versions store a session's helpers next to it.
    .filter(({ name, changedAt }) => !name.startsWith("agent-") && changedAt >= since)
    .sort((one, other) => other.changedAt - one.changedAt)
    .slice(0, limits.sessions);
  const read = await Promise.all(
    newest.map(async (file) => ({ file, text: await foreignText(file, limits) })),
  );
  const transcripts = read.flatMap(({ file, text }) => (text === null ? [] : [{ file, text }]));
  if (transcripts.length === 0) return [];
  const texts = transcripts.map(({ text }) => text);
  const facts = (await runInWorker(
    "readTranscripts",
    { home, userHome: homedir(), texts },
    { what: "the transcripts of Claude Code" },
  )) as readonly TranscriptFacts[];
  const sessions = await Promise.all(
    transcripts.map(({ file }, at) => sessionOf(file, facts[at] ?? noFacts, home, folders)),
  );
  return sessions.flatMap((session) => session ?? []);
}

/** What the worker thread does. */
export const readTranscripts = ({
  home,
  userHome,
  texts,
}: JobInput<"readTranscripts">): readonly TranscriptFacts[] => {
  const isPlan = isPlanOf(home, userHome);
  return texts.map(({ begin, end }) => readTranscript(end, isPlan, readTranscript(begin, isPlan)));
};

async function sessionOf(
  file: ForeignFile,
  facts: TranscriptFacts,
  home: string,
  folders: readonly string[],
): Promise<OutsideSession | null> {
  const id = basename(file.name, ".jsonl");
  if (!isSessionId(id)) return null;
  // Two folders may be filed under one name: what the session itself says counts.
  if (facts.folder === null || !liesIn(folders, facts.folder)) return null;
  const [plan, todos] = await Promise.all([planOf(home, facts), todosOfSession(home, id, facts)]);
  return {
    kind: "claude",
    id,
    folder: facts.folder,
    lastActivityAt: facts.at ?? file.changedAt,
    asked: facts.asked,
    askedAt: facts.askedAt,
    plan,
    todos,
    branch: facts.branch,
    turn: facts.turn,
    endedAt: null,
    source: file.path,
  };
}

/**
 * Whether a session's id is safe to use. It becomes a file name and an argument, so it begins with a letter
 * or a digit: no program takes it for an option.
 */
export const isSessionId = (id: string): boolean => /^[A-Za-z0-9][\w.:-]{0,199}$/u.test(id);

/**
 * The plan that the session wrote or named, as its file has it now; where the file is gone, or is none of Claude Code's own
 * folder, as the session wrote it. Never merely the newest file: that may be another session's.
 */
async function planOf(home: string, { plan, slug }: TranscriptFacts): Promise<SessionPlan | null> {
  const named: NamedPlan | null =
    plan ?? (slug === null ? null : { path: `${slug}.md`, text: null, since: 0 });
  if (named === null) return null;
  const file = named.path === null ? null : await foreignFile(join(home, "plans"), basename(named.path));
  const now = file && (await foreignText(file, { begin: limits.plan, end: 0 }));
  const text = now?.begin ?? named.text;
  if (text === null || text.trim() === "") return null;
  return { source: file?.path ?? named.path ?? "the session", text, since: named.since };
}

/** Whether a path, possibly typed by the user, is a plan in Claude Code's folder. */
export const isPlanOf =
  (home: string, userHome = homedir()) =>
  (path: string): boolean => {
    const whole = path.startsWith("~") ? join(userHome, path.slice(1)) : path;
    return isAbsolute(whole) && whole.endsWith(".md") && dirname(resolve(whole)) === join(home, "plans");
  };

/** What was written last: in the transcript, in the file of its list, or as its tasks. */
async function todosOfSession(
  home: string,
  id: string,
  { todos, taskFolders }: TranscriptFacts,
): Promise<Timed<readonly Todo[]> | null> {
  const found = await Promise.all([
    todosInFile(home, id),
    ...[id, ...taskFolders].map((name) => tasksIn(home, name)),
  ]);
  return [todos, ...found].reduce(
    (last, one) => (one === null || (last !== null && last.at >= one.at) ? last : one),
    null,
  );
}

async function todosInFile(home: string, id: string): Promise<Timed<readonly Todo[]> | null> {
  const file = await foreignFile(join(home, "todos"), `${id}-agent-${id}.json`);
  if (file === null || file.bytes > limits.todos) return null;
  const text = await foreignText(file, { begin: limits.todos, end: 0 });
  const parsed = text && parsedOf(text.begin);
  return Array.isArray(parsed) ? { value: todosOf(parsed), at: file.changedAt } : null;
}

/** One file for each task, called by its number. */
async function tasksIn(home: string, name: string): Promise<Timed<readonly Todo[]> | null> {
  // A name from a transcript is no way to somewhere else.
  if (!/^[\w.-]+$/u.test(name) || name.startsWith(".")) return null;
  const files = (await foreignFiles(join(home, "tasks", name), ".json", limits.tasks)).filter(
    ({ bytes }) => bytes <= limits.todos,
  );
  const tasks = await Promise.all(
    files
      .toSorted((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }))
      .map(async (file) => parsedOf((await foreignText(file, { begin: limits.todos, end: 0 }))?.begin ?? "")),
  );
  const value = todosOf(tasks);
  return value.length === 0 ? null : { value, at: Math.max(...files.map(({ changedAt }) => changedAt)) };
}
