import { posix } from "node:path";
import { type ModelMessage, resultText } from "../model/driver-interface.ts";
import { hashInOutput } from "../tools/file-output.ts";
import type { SeenFiles } from "../tools/tool-interface.ts";

/**
 * What a conversation has read, taken from its own history: a conversation that goes on after a restart may edit what
 * it read before, and a fresh one has read nothing.
 */
export function seenFiles(history: readonly ModelMessage[]): SeenFiles {
  const hashes = new Map<string, string>();
  for (const block of history.flatMap((message) => [...message.content])) {
    if (block.type !== "tool_result" || block.is_error) continue;
    const known = hashInOutput(resultText(block.content));
    if (known) hashes.set(known.path, known.hash);
  }
  return {
    hashOf: (path) => hashes.get(path),
    note(path, hash) {
      hashes.set(path, hash);
    },
  };
}

/**
 * What files must hold if nobody else wrote to them since the history ended: path → hash. Left out is what a command
 * or a call that was cut off by a crash may have changed. Nothing is left once the last word was a signal: whoever
 * said that the work is done reads nothing any more.
 */
export function filesLeft(
  history: readonly ModelMessage[],
  onlySignals: (tool: string) => boolean,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const calls = new Map<string, { readonly name: string; readonly input: unknown }>();
  let signalled = false;
  for (const { role, content } of history) {
    if (role === "assistant") signalled = false;
    for (const block of content) {
      if (block.type === "tool_use") calls.set(block.id, block);
      if (block.type === "text") signalled = false;
      if (block.type !== "tool_result") continue;
      const call = calls.get(block.tool_use_id);
      const name = call?.name ?? "";
      // Gone, or elsewhere.
      if (name === "move_file" || name === "delete_file")
        for (const path of pathsOf(call?.input)) files.delete(path);
      calls.delete(block.tool_use_id);
      signalled ||= !block.is_error && onlySignals(name);
      if (name === "run_command") files.clear();
      const known = block.is_error ? null : hashInOutput(resultText(block.content));
      if (known) files.set(known.path, known.hash);
    }
  }
  for (const { name, input } of calls.values()) {
    if (name === "run_command") files.clear();
    for (const path of pathsOf(input)) files.delete(path);
  }
  return signalled ? new Map() : files;
}

const pathsOf = (input: unknown): readonly string[] =>
  typeof input !== "object" || input === null
    ? []
    : Object.entries(input).flatMap(([field, value]) =>
        ["path", "from", "to"].includes(field) ? [posix.normalize(String(value))] : [],
      );
