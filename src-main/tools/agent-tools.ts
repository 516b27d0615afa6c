import { alignRequest } from "./align-request.ts";
import { deleteFile } from "./delete-file.ts";
import { editFile } from "./edit-file.ts";
import { findFiles } from "./find-files.ts";
import { listFiles } from "./list-files.ts";
import { moveFile } from "./move-file.ts";
import { readFile } from "./read-file.ts";
import { reportDone } from "./report-done.ts";
import { runCommand } from "./run-command.ts";
import { search } from "./search.ts";
import type { Tool } from "./tool-interface.ts";
import { writeFile } from "./write-file.ts";

/** What every agent may do; order and wording belong to the cached prefix, so they stay the same for all. */
export const agentTools = (options: { commandTimeoutSeconds?: number } = {}): readonly Tool[] => [
  ...readingTools(),
  erase(writeFile),
  erase(editFile),
  erase(moveFile),
  erase(deleteFile),
  erase(runCommand(options.commandTimeoutSeconds)),
  erase(alignRequest),
  erase(reportDone),
];

/** For those who plan, judge and decide: they look and change nothing. */
export const readingTools = (): readonly Tool[] => [
  erase(readFile),
  erase(listFiles),
  erase(findFiles),
  erase(search),
];

/** `run_command` by itself, for validators, who check but do not write. */
export const commandTool = ({ commandTimeoutSeconds }: { readonly commandTimeoutSeconds: number }): Tool =>
  erase(runCommand(commandTimeoutSeconds));

/**
 * A list holds tools of many inputs. Calling with `unknown` is safe because the conversation passes only what the
 * tool's own schema has parsed.
 */
export function erase<Input>(tool: Tool<Input>): Tool {
  return { ...tool, run: (input, context) => tool.run(input as Input, context) };
}
