import type { HookEvent } from "#shared/domain/conversation/conversation.ts";
import type { PostToolsHook } from "./post-tools-hooks.ts";

/** One `[[hooks]]` of the configuration. */
export interface UserHook {
  readonly name: string;
  readonly on: HookEvent;
  /** One line for a shell. */
  readonly command: string;
  readonly timeoutSeconds: number;
}

/**
 * The user's commands as hooks, in the order of the file. They run code that agents wrote, so they are
 * sandboxed like every agent's command, and protected files stay protected. (PLAN-3)
 *
 * @param environment variables in addition to event and iteration: HOX_CHANGE_ID, HOX_WORKER, HOX_RUN…
 */
export function userHooks(options: {
  readonly hooks: readonly UserHook[];
  readonly protectedFiles: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}): readonly PostToolsHook[] {
  const { hooks, protectedFiles, environment } = options;
  return hooks.map(({ name, on, command, timeoutSeconds }) => ({
    name,
    on,
    async run({ run, iteration, signal }) {
      const { outcome, exitCode, output, restored } = await run({
        command,
        environment: { ...environment, HOX_EVENT: on, HOX_ITERATION: String(iteration) },
        protectedFiles,
        timeoutMs: timeoutSeconds * 1000,
        signal,
      });
      const wrong =
        outcome === "timed-out"
          ? `It took longer than ${timeoutSeconds} s.`
          : outcome === "missing"
            ? "Its program was not found."
            : outcome === "cancelled"
              ? "It was stopped with the run."
              : exitCode !== 0
                ? `It ended with exit code ${exitCode}.`
                : restored.length > 0
                  ? `It changed protected files, which were restored: ${restored.join(", ")}.`
                  : null;
      return {
        success: wrong === null,
        message: [wrong, output.trim()].filter((part) => part !== null && part !== "").join("\n"),
      };
    },
  }));
}
