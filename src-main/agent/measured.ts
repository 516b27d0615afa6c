import type { ModelAnswer, ModelDriver } from "../model/driver-interface.ts";
import type { ToolContext } from "../tools/tool-interface.ts";
import type { ConversationOptions, ModelConversationOptions } from "./agent-interface.ts";
import { type CallResult, runCalls, type ToolCall } from "./tool-calls.ts";

/** What a conversation says of how long it waits for its model and for its tools. */

const clockOf = ({ monotonic }: Pick<ConversationOptions, "monotonic">): (() => number) =>
  monotonic ?? (() => performance.now());

/** Makes a request, and reports its time and usage. */
export async function measuredRequest(
  options: Pick<ModelConversationOptions, "onMeasured" | "monotonic" | "model" | "driver">,
  ask: () => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  const { onMeasured, model, driver } = options;
  const stop = stopwatch(driver.scheduler, clockOf(options));
  try {
    const answer = await ask();
    const { usage, stopReason } = answer;
    onMeasured?.({ kind: "request", model: answer.model, ...stop(), usage, stopReason, error: null });
    return answer;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onMeasured?.({ kind: "request", model, ...stop(), usage: null, stopReason: null, error: why });
    throw error;
  }
}

/** Runs calls, and reports their time. Calls with forks inside are not timed themselves. */
export async function measuredCalls(
  options: ConversationOptions,
  calls: readonly ToolCall[],
  context: ToolContext,
  finished: Map<string, CallResult>,
): Promise<readonly CallResult[]> {
  const monotonic = clockOf(options);
  const isOthersWork = ({ name }: ToolCall): boolean =>
    options.tools.find((tool) => tool.name === name)?.runsInParallel ?? false;
  let ms = 0;
  const results = await runCalls(calls, options.tools, context, options.onEntry, finished, (group) => {
    const begun = monotonic();
    return () => {
      if (!group.every(isOthersWork)) ms += monotonic() - begun;
    };
  });
  options.onMeasured?.({ kind: "calls", ms });
  return results;
}

/** Measures time, with waiting for the provider separate. */
function stopwatch(
  scheduler: ModelDriver["scheduler"],
  monotonic: () => number,
): () => { readonly ms: number; readonly waitedMs: number } {
  const begun = monotonic();
  let waitedMs = 0;
  let since = scheduler?.state.pause ? begun : null;
  const settle = (): void => {
    if (since !== null) waitedMs += monotonic() - since;
    since = null;
  };
  const forget = scheduler?.onPause(({ pause }) => {
    if (pause === null) settle();
    else since ??= monotonic();
  });
  return () => {
    forget?.();
    settle();
    return { ms: monotonic() - begun - waitedMs, waitedMs };
  };
}
