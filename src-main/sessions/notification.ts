/**
 * Other programs' reports of their sessions with `hox notify`: Codex after a turn, Claude Code with its
 * hooks. (AX-4, AX-7)
 */

import { realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { OutsideSession } from "#shared/domain/sessions/outside-session.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { storeOf } from "../config/repository-note.ts";
import { claudeFolder, isPlanOf, isSessionId } from "./claude-sessions.ts";
import { noFacts, withCall } from "./claude-transcript.ts";
import { type Fields, fieldsOf, listOf, parsedOf, textOf } from "./foreign-files.ts";

/** No program sends more; longer ones are ignored. */
export const maxNotificationLength = 1024 * 1024;

const maxTextLength = 4_000;

/**
 * @param text as the program gave it
 * @param at ms since 1970
 * @param folder the program's current directory, for payloads without a session folder
 * @returns what it says of its session; null if it says nothing or is of an unknown kind
 */
export function readNotification(text: string, at: number, folder: string): OutsideSession | null {
  const fields = text.length > maxNotificationLength ? null : fieldsOf(parsedOf(text));
  if (fields === null) return null;
  if (fields.type === "agent-turn-complete") return ofCodex(fields, at, folder);
  return typeof fields.hook_event_name === "string" ? ofClaude(fields, at, folder) : null;
}

/** Older versions name neither the thread nor the folder. */
function ofCodex(fields: Fields, at: number, folder: string): OutsideSession | null {
  const turn = textOf(fields["turn-id"]);
  const id = textOf(fields["thread-id"]) || turn;
  if (!isSessionId(id)) return null;
  const words = listOf(fields["input-messages"])
    .map(textOf)
    .filter((word) => word.trim() !== "");
  const lastMessage = startOf(textOf(fields["last-assistant-message"]), maxTextLength);
  return {
    ...sessionOf("codex", id, at, textOf(fields.cwd) || folder),
    asked: startOf(words.at(-1) ?? "", maxTextLength),
    turn: { value: { id: turn || `${at}`, lastMessage }, at },
  };
}

function ofClaude(fields: Fields, at: number, folder: string): OutsideSession | null {
  const id = textOf(fields.session_id);
  if (!isSessionId(id)) return null;
  const session = sessionOf("claude", id, at, textOf(fields.cwd) || folder);
  switch (fields.hook_event_name) {
    case "Stop":
      return {
        ...session,
        turn: {
          value: { id: `${at}`, lastMessage: startOf(textOf(fields.last_assistant_message), maxTextLength) },
          at,
        },
      };
    case "SessionEnd":
      return { ...session, endedAt: at };
    case "UserPromptSubmit":
      return { ...session, asked: startOf(textOf(fields.prompt), maxTextLength) };
    case "PostToolUse": {
      const input = fieldsOf(fields.tool_input) ?? {};
      const { plan, todos } = withCall(
        noFacts,
        { tool: textOf(fields.tool_name), input, at },
        isPlanOf(claudeFolder()),
      );
      return {
        ...session,
        todos,
        plan: plan?.text ? { source: plan.path ?? "the session", text: plan.text, since: at } : null,
      };
    }
    default:
      return session;
  }
}

const sessionOf = (kind: OutsideSession["kind"], id: string, at: number, folder: string): OutsideSession => ({
  kind,
  id,
  folder,
  lastActivityAt: at,
  asked: "",
  askedAt: null,
  plan: null,
  todos: null,
  branch: null,
  turn: null,
  endedAt: null,
  source: "hox notify",
});

/**
 * Finds the repository of a session without starting jj, so that the reporting program does not wait.
 *
 * @param folder in which the session works
 * @returns the root of the repository, also for a folder of one of its workspaces; null where it is in none
 */
export function repositoryOf(folder: string): string | null {
  let at: string;
  try {
    at = realpathSync(folder);
  } catch {
    return null;
  }
  for (;;) {
    const store = storeOf(at);
    // `<root>/.jj/repo`
    if (store !== null) {
      const root = resolve(store, "..", "..");
      // A folder that merely names a store is not its repository.
      return basename(store) === "repo" && storeOf(root) === store ? root : null;
    }
    const above = dirname(at);
    if (above === at) return null;
    at = above;
  }
}
