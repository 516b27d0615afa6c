import type { Seen, SeenResult } from "../script.ts";

/** The last result of a tool in the conversation, for steps that copy from it. Throws when there is none. */
export function lastResult(seen: Seen, tool: string): SeenResult {
  const result = seen.history.findLast((one) => one.tool === tool);
  if (!result) throw new Error(`${seen.role}: the script wanted a result of ${tool}, and there is none.`);
  return result;
}
