import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { endOf, startOf } from "#shared/domain/text/cut-text.ts";
import type { Worker } from "../ports.ts";

/** A worker's current activity, from its conversation. */
export function followActivity(worker: Worker, entry: ConversationEntry, isOutage: boolean): void {
  worker.latestText = latestTextAfter(worker, entry);
  switch (entry.kind) {
    case "prompt":
    case "thinking":
    case "text":
      worker.state = "thinking";
      worker.activity = entry.kind === "text" ? "writing" : "thinking";
      return;
    case "tool-call":
      worker.state = "tools";
      worker.activity = activityOf(entry.tool, entry.input);
      return;
    case "retry":
      worker.state = "waiting";
      worker.activity = isOutage
        ? "waiting for the provider"
        : `retrying in ${Math.ceil(entry.waitMs / 1000)} s`;
      return;
    default:
      return;
  }
}

/** What a screen has room for, several times over: words come in pieces, and the last ones count. */
const maxLatestText = 600;

/** Deltas of one answer are joined; a call or a prompt starts a new text. */
function latestTextAfter({ latestText, activity }: Worker, entry: ConversationEntry): string {
  if (entry.kind !== "text") return latestText;
  const before = activity === "writing" ? latestText : "";
  return endOf(before + entry.text, maxLatestText);
}

const verbs: Readonly<Record<string, string>> = {
  read_file: "reading",
  write_file: "writing",
  edit_file: "editing",
  list_files: "listing",
  glob: "finding",
  move_file: "moving",
  delete_file: "deleting",
  search: "searching",
  run_command: "running",
};

function activityOf(tool: string, input: unknown): string {
  const field = (name: string): string =>
    typeof input === "object" && input !== null && name in input
      ? String((input as Record<string, unknown>)[name])
      : "";
  const about = field("path") || field("from") || field("command") || field("pattern");
  return startOf(`${verbs[tool] ?? tool.replaceAll("_", " ")} ${about}`.trim(), 120);
}
