import type { Tool } from "../tools/tool-interface.ts";
import type { AcpDriverOptions, PermissionRequest } from "./acp-options.ts";
import type { PermissionEvent } from "./runner/runner-protocol.ts";

/**
 * Answers an agent's request for permission. Without a policy that asks, the sandbox decides what a call can do, and Hox's
 * own tools never need a permission.
 *
 * @param describe what the call would do, which is worth its work only for a user who is asked
 * @returns the id of the chosen option, or null; and what the transcript says of it
 */
export async function answerPermission(
  request: PermissionEvent,
  describe: () => PermissionRequest["call"],
  policy: AcpDriverOptions["permissions"],
  tools: readonly Tool[],
  signal: AbortSignal,
): Promise<{ readonly option: string | null; readonly notice: string }> {
  const { toolCall, options } = request;
  const { title, name } = toolCall;
  const isOwn = tools.some((tool) => name === `mcp__hox__${tool.name}`);
  const asks = policy === "sandbox" || isOwn ? null : policy;
  const wanted =
    asks === null
      ? options.find(({ kind }) => kind === "allow_once")?.optionId
      : await asks({ ...request, call: describe() }, signal);
  const chosen = options.find(({ optionId }) => optionId === wanted);
  const by = asks === null ? "The sandbox decides what it can do" : "You decided";
  const shown = typeof title === "string" ? title : "a call";
  return {
    option: chosen?.optionId ?? null,
    notice: `Asked for permission: ${shown}. ${by}: ${chosen?.name ?? "cancelled"}.`,
  };
}
