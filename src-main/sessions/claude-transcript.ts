/**
 * Parses a Claude Code transcript into a session: one JSON value a line, of many kinds and versions.
 * Incomplete and unknown lines are skipped.
 */

import type { Todo } from "#shared/domain/orientation/todo-events.ts";
import type { Timed } from "#shared/domain/sessions/outside-session.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { type Fields, fieldsOf, listOf, parsedOf, textOf, timeOf, todosOf } from "./foreign-files.ts";

/** A plan as a session wrote or named it. */
export interface NamedPlan {
  /** Path that the session named; null for an inline plan. */
  readonly path: string | null;
  /** As the session wrote it; null where it only named the file. */
  readonly text: string | null;
  /** ms since 1970, since when it is this one. */
  readonly since: number;
}

export interface TranscriptFacts {
  readonly session: string | null;
  readonly folder: string | null;
  readonly branch: string | null;
  readonly at: number | null;
  readonly asked: string;
  readonly askedAt: number | null;
  readonly plan: NamedPlan | null;
  /** The name under which its plan is kept where it named none. */
  readonly slug: string | null;
  readonly todos: Timed<readonly Todo[]> | null;
  /** Names of the folders that may contain its tasks. */
  readonly taskFolders: readonly string[];
  readonly turn: Timed<{ readonly id: string; readonly lastMessage: string }> | null;
}

export const noFacts: TranscriptFacts = {
  session: null,
  folder: null,
  branch: null,
  at: null,
  asked: "",
  askedAt: null,
  plan: null,
  slug: null,
  todos: null,
  taskFolders: [],
  turn: null,
};

/** Limit of what is shown. */
const maxTextLength = 4_000;

/** Whether a path is one of the program's own plans. */
export type IsPlan = (path: string) => boolean;

/** @param before the state after earlier lines */
export const readTranscript = (
  text: string,
  isPlan: IsPlan,
  before: TranscriptFacts = noFacts,
): TranscriptFacts =>
  text.split("\n").reduce<TranscriptFacts>((facts, line) => {
    const fields = line.trim() === "" ? null : fieldsOf(parsedOf(line));
    // What a helper of the session says is not the session's own.
    return fields === null || fields.isSidechain === true ? facts : withLine(facts, fields, isPlan);
  }, before);

function withLine(facts: TranscriptFacts, line: Fields, isPlan: IsPlan): TranscriptFacts {
  const at = timeOf(line.timestamp) ?? facts.at ?? 0;
  const known: TranscriptFacts = {
    ...facts,
    session: textOf(line.sessionId) || facts.session,
    folder: textOf(line.cwd) || facts.folder,
    branch: branchOf(line, facts.branch),
    slug: textOf(line.slug) || facts.slug,
    at: Math.max(at, facts.at ?? 0),
  };
  const listed = Array.isArray(line.todos) ? withTodos(known, line.todos, at) : known;
  switch (line.type) {
    case "user":
      return line.isMeta === true ? listed : addUserMessage(listed, line, at, isPlan);
    case "assistant":
      return withAnswer(listed, line, at, isPlan);
    default:
      return listed;
  }
}

/** Where Git is on no branch the transcript says so by other words. */
function branchOf(line: Fields, before: string | null): string | null {
  if (typeof line.gitBranch !== "string") return before;
  return ["", "HEAD"].includes(line.gitBranch) ? null : line.gitBranch;
}

/** Marks of text that the program itself inserted as the user's. */
const notSpoken = /^\s*(?:<(?:command|local-command|system|task|bash)|Caveat:|\[Request interrupted)/u;

/**
 * Paths of Markdown files in a text: between spaces, quotes and brackets, from the root to the last ".md".
 */
const markdownPaths = (text: string): readonly string[] =>
  text.split(/[\s"'`<>()]/u).flatMap((word) => {
    const begin = word.search(/~|[A-Za-z]:|\//u);
    let end = word.lastIndexOf(".md");
    while (end >= 0 && /^\w/u.test(word.slice(end + 3, end + 4)))
      end = end === 0 ? -1 : word.lastIndexOf(".md", end - 1);
    return begin >= 0 && end > begin ? [word.slice(begin, end + 3)] : [];
  });

function addUserMessage(facts: TranscriptFacts, line: Fields, at: number, isPlan: IsPlan): TranscriptFacts {
  const content = fieldsOf(line.message)?.content;
  const words = (
    typeof content === "string"
      ? [content]
      : listOf(content).flatMap((block) => {
          const fields = fieldsOf(block);
          return fields?.type === "text" ? [textOf(fields.text)] : [];
        })
  )
    .filter((text) => text.trim() !== "" && !notSpoken.test(text))
    .join("\n")
    .trim();
  if (words === "") return facts;
  const named = markdownPaths(words).findLast(isPlan);
  return {
    ...(named === undefined ? facts : withPlan(facts, named, null, at)),
    asked: startOf(words, maxTextLength),
    askedAt: at,
  };
}

function withAnswer(facts: TranscriptFacts, line: Fields, at: number, isPlan: IsPlan): TranscriptFacts {
  const message = fieldsOf(line.message);
  const blocks = listOf(message?.content)
    .map(fieldsOf)
    .filter((block) => block !== null);
  const after = blocks
    .filter(({ type }) => type === "tool_use")
    .reduce(
      (now, { name, input }) =>
        withCall(now, { tool: textOf(name), input: fieldsOf(input) ?? {}, at }, isPlan),
      facts,
    );
  const id = textOf(line.uuid) || textOf(message?.id);
  if (message?.stop_reason !== "end_turn" || id === "") return after;
  const replyText = blocks.flatMap(({ type, text }) => (type === "text" ? [textOf(text)] : [])).join("\n");
  return { ...after, turn: { value: { id, lastMessage: startOf(replyText, maxTextLength) }, at } };
}

/** A call of one of the program's tools. */
export interface ForeignCall {
  readonly tool: string;
  readonly input: Fields;
  /** ms since 1970. */
  readonly at: number;
}

/** Calls that show what the session is working on. The same names come with the program's hooks. */
export function withCall(
  facts: TranscriptFacts,
  { tool, input, at }: ForeignCall,
  isPlan: IsPlan,
): TranscriptFacts {
  switch (tool) {
    case "TodoWrite":
      return withTodos(facts, input.todos, at);
    case "ExitPlanMode":
    case "exit_plan_mode": {
      const text = textOf(input.plan);
      const named = textOf(input.planFilePath);
      const path = isPlan(named) ? named : null;
      return text === "" && path === null
        ? facts
        : withPlan(facts, path ?? facts.plan?.path ?? null, text || null, at);
    }
    case "Write":
    case "Edit":
    case "MultiEdit": {
      const path = textOf(input.file_path);
      if (!isPlan(path)) return facts;
      return withPlan(facts, path, textOf(input.content) || null, at);
    }
    case "TeamCreate":
    case "TaskCreate": {
      const team = textOf(input.team_name);
      return team === "" || facts.taskFolders.includes(team)
        ? facts
        : { ...facts, taskFolders: [...facts.taskFolders, team] };
    }
    default:
      return facts;
  }
}

/** Another file is another plan; the same one, edited, is the plan that it was. */
function withPlan(
  facts: TranscriptFacts,
  path: string | null,
  text: string | null,
  at: number,
): TranscriptFacts {
  const before = facts.plan;
  const isSame = before !== null && path !== null && before.path === path;
  return {
    ...facts,
    plan: { path, text: text ?? (isSame ? before.text : null), since: isSame ? before.since : at },
  };
}

/** A repeated list, as with every prompt, keeps its time. */
function withTodos(facts: TranscriptFacts, todos: unknown, at: number): TranscriptFacts {
  const value = todosOf(todos);
  return JSON.stringify(facts.todos?.value) === JSON.stringify(value)
    ? facts
    : { ...facts, todos: { value, at } };
}
