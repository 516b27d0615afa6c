import type { HookEvent, HookResult } from "#shared/domain/conversation/conversation.ts";
import type { CommandResult, PlacedCommand } from "../tools/tool-interface.ts";

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
