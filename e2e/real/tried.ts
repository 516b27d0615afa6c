/** What the tools of agents and judges answered that no walk may go on over. */
import type { SeenResult } from "../../src-main/model/stand-in/script.ts";
import type { Work } from "./project.ts";

/** An answer of a tool, and to whom. */
export type Result = SeenResult & { readonly role: string };

/** What was wrong with how agents and judges tried the command of some work. */
export function triedWrongly(
  { command, failsBecause }: Pick<Work, "command" | "failsBecause">,
  results: readonly Result[],
): readonly string[] {
  const tried = results.filter(
    ({ tool, input }) =>
      tool === "run_command" && (input as { readonly command?: unknown }).command === command,
  );
  if (!tried.some(({ role }) => role.startsWith("agent-"))) return [`no agent tried "${command}"`];
  const hasToFail = failsBecause !== undefined;
  return tried.flatMap(({ role, output, isError }) => {
    if (isError === hasToFail) return [];
    const lines = output.trim().split("\n");
    return [
      `"${command}" of ${role} ${isError ? "failed" : `was meant to fail (${failsBecause})`}: ${[lines[0], ...lines.slice(1).slice(-3)].join(" | ")}`,
    ];
  });
}

/** Files that could not be read or changed: what landed may look right without them. */
export const failedEdits = (results: readonly Result[]): readonly string[] =>
  results.flatMap(({ role, tool, input, output, isError }) =>
    isError && /^(?:read|write|edit)_file$/u.test(tool)
      ? [`${tool} of ${role} failed: ${JSON.stringify(input).slice(0, 200)}: ${output.slice(0, 500)}`]
      : [],
  );
