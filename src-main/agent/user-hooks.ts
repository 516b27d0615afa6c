import type { HookEvent, HookResult } from "#shared/domain/conversation/conversation.ts";
import type { CommandResult, PlacedCommand } from "../tools/tool-interface.ts";

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

/** Something that follows the work and is not part of it. (PLAN-3) */
export interface PostToolsHook {
  readonly name: string;
  readonly on: HookEvent;
  /** What it throws is a failure like any other. */
  run(context: HookContext): Promise<Pick<HookResult, "success" | "message">>;
}

export interface HookContext {
  /** Runs a command where the work is. */
  readonly run: (command: PlacedCommand) => Promise<CommandResult>;
  /** 0 where there is none. */
  readonly iteration: number;
  readonly signal: AbortSignal;
}

/**
 * Runs the hooks of one event in order. A failing hook does not keep the next from running; an abort does.
 */
export async function runHooks(
  hooks: readonly PostToolsHook[],
  on: HookEvent,
  context: HookContext,
): Promise<readonly HookResult[]> {
  const results: HookResult[] = [];
  for (const hook of hooks) {
    if (hook.on !== on || context.signal.aborted) continue;
    const begun = performance.now();
    const result = await hook.run(context).catch((error: unknown) => ({
      success: false,
      message: error instanceof Error ? error.message : String(error),
    }));
    results.push({ name: hook.name, on, ...result, ms: Math.round(performance.now() - begun) });
  }
  return results;
}
