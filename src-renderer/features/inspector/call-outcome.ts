/** Calls of a conversation with their results, and how these are shown. */

import { matchesAddress } from "#shared/domain/change-metadata/address.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import { startOf } from "#shared/domain/text/format-text.ts";

type RowOf<Kind extends ConversationRow["kind"]> = Extract<ConversationRow, { kind: Kind }>;
export type CallEntry = RowOf<"tool-call">;
export type ResultEntry = RowOf<"tool-result">;

/**
 * Why a call has no answer: `open` may still get one, `held` was held in the middle and ran again further below, `lost` was
 * never answered because its conversation broke off.
 */
export type Unanswered = "open" | "held" | "lost";

export type SpokenRow =
  | { readonly kind: "row"; readonly row: ConversationRow }
  | {
      readonly kind: "call";
      readonly call: CallEntry;
      /** What came of it; else why nothing has. */
      readonly result: ResultEntry | Unanswered;
    };

/**
 * Tools that run at once answer in any order: each answer goes with the call that it belongs to, by the call's id. An id that
 * comes again before it was answered is the same call, held and run again; an answer without a call stays a row.
 */
export function callsWithResults(rows: readonly ConversationRow[]): readonly SpokenRow[] {
  const found = new Map<number, ResultEntry | Unanswered>();
  const open = new Map<string, number>();
  const taken = new Set<number>();
  for (const row of rows) {
    const call = row.kind === "tool-call" || row.kind === "tool-result" ? open.get(row.id) : undefined;
    if (row.kind === "tool-call") {
      if (call !== undefined) found.set(call, "held");
      open.set(row.id, row.index);
    } else if (row.kind === "tool-result" && call !== undefined) {
      found.set(call, row);
      open.delete(row.id);
      taken.add(row.index);
    } else if (row.kind === "prompt") {
      // A conversation that begins answers nothing that another one asked for.
      for (const index of open.values()) found.set(index, "lost");
      open.clear();
    }
  }
  return rows.flatMap((row): readonly SpokenRow[] => {
    if (row.kind === "tool-call")
      return [{ kind: "call", call: row, result: found.get(row.index) ?? "open" }];
    return taken.has(row.index) ? [] : [{ kind: "row", row }];
  });
}

/** What the caller does now, for a call that is not answered. */
export type CallerState = "working" | "paused" | "over";

export type CallMark = "done" | "failed" | "refused" | "running" | "waiting" | "stopped";

export interface CallOutcome {
  readonly mark: CallMark;
  /** In a few words, beside the call; of a call that simply worked nothing has to be said. */
  readonly words: string | null;
  /** What it answered, without what is said by the words. */
  readonly output: string;
}

/** How a call came out, in words. */
export function callOutcome(result: ResultEntry | Unanswered, caller: CallerState): CallOutcome {
  if (typeof result === "string") return { ...unanswered(result, caller), output: "" };
  const { code, rest } = exitOf(result);
  if (result.error === null) return { mark: "done", words: null, output: rest };
  if (result.error === "cancelled") return { mark: "stopped", words: "stopped", output: result.output };
  const why = refusals[result.error];
  if (why !== undefined) return { mark: "refused", words: `refused: ${why}`, output: result.output };
  if (code !== null) return { mark: "failed", words: `failed: exit code ${code}`, output: rest };
  return {
    mark: "failed",
    words: `failed: ${failures[result.error] ?? result.error}`,
    output: result.output,
  };
}

function unanswered(kind: Unanswered, caller: CallerState): Omit<CallOutcome, "output"> {
  if (kind === "held") return { mark: "waiting", words: "paused, and repeated below" };
  if (kind === "lost" || caller === "over") return { mark: "stopped", words: "ended before it returned" };
  return caller === "paused" ? { mark: "waiting", words: "paused" } : { mark: "running", words: "running" };
}

/** Nothing was done, and why. */
const refusals: Readonly<Record<string, string>> = {
  "unknown-tool": "no such tool",
  "invalid-input": "invalid input",
  "protected-file": "the file is protected",
  "outside-workspace": "outside its workspace",
  "not-unique": "the text occurs more than once",
  "changed-since-read": "the file changed since it was read",
  "overrides-decision": "a decision fixes these lines",
  "not-text": "not a text file",
  "too-large": "too large",
  "sandbox-missing": "no sandbox available",
  "not-allowed": "not allowed",
};

const failures: Readonly<Record<string, string>> = {
  "not-found": "not found",
  "timed-out": "timed out",
  "command-failed": "a command failed",
  failed: "error",
};

/** A command says first how it ended: `Exit code 1 after 0.3 s`. */
function exitOf({ tool, output }: ResultEntry): { readonly code: string | null; readonly rest: string } {
  const exitLine = tool === "run_command" ? /^Exit code (\S+) after [\d.]+ s(?:\n|$)/u.exec(output) : null;
  return exitLine
    ? { code: exitLine[1] ?? null, rest: output.slice(exitLine[0].length) }
    : { code: null, rest: output };
}

/** Lines shown below a folded call, and characters of each. */
const previewLines = 3;
const previewWidth = 240;

/** The first lines of an answer, and how many there are beyond them; nothing of a long text is gone through twice. */
export function previewOf(output: string): { readonly lines: readonly string[]; readonly more: number } {
  const text = output.trim();
  if (text === "") return { lines: [], more: 0 };
  const lines: string[] = [];
  let at = 0;
  while (lines.length < previewLines && at <= text.length) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end);
    lines.push(withoutHash(line.length > previewWidth ? `${startOf(line, previewWidth)}…` : line));
    at = end < 0 ? text.length + 1 : end + 1;
  }
  let more = at <= text.length ? 1 : 0;
  for (let end = text.indexOf("\n", at); more > 0 && end >= 0; end = text.indexOf("\n", end + 1)) more++;
  return { lines, more };
}

/** The content hash is only for the model. */
const withoutHash = (line: string): string => line.replace(/ hash [0-9a-f]{8,64}\b/u, "");

/** The argument that says most about a call, for its one line. */
const telling = ["path", "command", "pattern", "question", "summary", "title", "name", "vote"] as const;

export function tellingInput(input: unknown): string | null {
  const fields: Record<string, unknown> = typeof input === "object" && input !== null ? { ...input } : {};
  const found = telling.map((name) => fields[name]).find((value) => typeof value === "string");
  return typeof found === "string" ? (found.trim().split("\n", 1)[0] ?? "") : null;
}

export type ConversationItem = SpokenRow | { readonly kind: "message"; readonly message: MessageView };

/** How a user signs what is written to a worker. */
const user = "user";

/** What a user and this worker wrote to each other. @param address `O-A-1`, `O-A-1/agent-2` */
export function messagesWithUser(
  messages: readonly MessageView[],
  worker: string,
  address: string,
): readonly MessageView[] {
  const [orchestrator = "", agent = null] = address.split("/");
  return messages.filter(
    ({ from, to }) =>
      (from === user && matchesAddress(to, { orchestrator, agent })) || (from === worker && to === user),
  );
}

/** Its latest possible time: reading a message rewrites its change. */
export const sentAt = ({ at, delivered = [] }: MessageView): number =>
  Math.min(at, ...delivered.map((one) => one.at));

/**
 * A conversation as it is read: answers of tools beside their calls, and what a user wrote where it was written. In one order,
 * in time as far as the rows are.
 */
export function conversationItems(
  rows: readonly ConversationRow[],
  messages: readonly MessageView[],
): readonly ConversationItem[] {
  const waiting = messages.toSorted((one, other) => sentAt(one) - sentAt(other));
  const items: ConversationItem[] = [];
  let next = 0;
  for (const spoken of callsWithResults(rows)) {
    const { at } = spoken.kind === "call" ? spoken.call : spoken.row;
    for (let message = waiting[next]; message && sentAt(message) < at; message = waiting[++next])
      items.push({ kind: "message", message });
    items.push(spoken);
  }
  return [...items, ...waiting.slice(next).map((message) => ({ kind: "message" as const, message }))];
}

/** Where a message is on its way to one worker. */
type Delivery =
  | { readonly kind: "waits" }
  | { readonly kind: "delivered"; readonly at: number }
  | { readonly kind: "read" };

export function deliveryTo(worker: string, message: MessageView): Delivery {
  if (message.handled) return { kind: "read" };
  const got = message.delivered?.find((one) => one.worker === worker);
  return got ? { kind: "delivered", at: got.at } : { kind: "waits" };
}
