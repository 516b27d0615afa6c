import { z } from "zod";
import { putBack } from "./put-back.ts";
import type { CommandResult, Tool, ToolErrorKind, ToolOutcome } from "./tool-interface.ts";

const longest = 600;

const input = z.strictObject({
  command: z
    .string()
    .min(1)
    .describe(
      "Run by /bin/sh in the workspace, without standard input, and without network but for hosts that the user lists.",
    ),
  folder: z.string().optional().describe("Relative to the workspace."),
  timeout_seconds: z.number().positive().max(longest).optional(),
});

/** `defaultTimeoutSeconds` comes from `loop_defaults.command_timeout_seconds`. */
export const runCommand = (defaultTimeoutSeconds = 120): Tool<z.infer<typeof input>> => ({
  name: "run_command",
  description:
    "Runs a command in the workspace inside a sandbox. Answers with the exit code and the output, whose middle is left " +
    `out when it is long. Stops after ${defaultTimeoutSeconds} seconds unless timeout_seconds says otherwise. Use it for builds, tests and generators, not to read or write files.`,
  input,
  writes: true,
  async run({ command, folder, timeout_seconds = defaultTimeoutSeconds }, context) {
    const result = await context.run({
      command,
      ...(folder === undefined ? {} : { folder }),
      environment: context.environment,
      timeoutMs: timeout_seconds * 1000,
      signal: context.signal,
      protectedFiles: context.files.protectedFiles,
    });
    return outcomeOf(result);
  },
});

function outcomeOf(result: CommandResult): ToolOutcome {
  const seconds = (result.ms / 1000).toFixed(1);
  const refused = putBack(result.restored)
    .map((line) => `\n${line}`)
    .join("");
  const output = (summary: string): string =>
    `${summary} after ${seconds} s${refused}\n${result.output}`.trimEnd();
  const failed = (error: ToolErrorKind, summary: string): ToolOutcome => ({
    ok: false,
    error,
    output: output(summary),
  });
  if (result.outcome === "timed-out") return failed("timed-out", "Stopped by the time limit");
  if (result.outcome === "cancelled") return failed("cancelled", "Stopped on request");
  if (result.exitCode !== 0) return failed("command-failed", `Exit code ${result.exitCode ?? "unknown"}`);
  return { ok: true, output: output("Exit code 0") };
}
