import type { z } from "zod";
import type { OrchestratorAnswer } from "../orchestrator-protocol.ts";

/** What one answer does. */
export type Reply<Result> = (value: unknown) => Promise<Result>;

/** Reads an answer as its tool was made to write it. */
export const reply =
  <Value, Result>(shape: z.ZodType<Value>, then: (value: Value) => Promise<Result>): Reply<Result> =>
  (value) =>
    then(shape.parse(value));

/** Does what the answer says. A tool that is not in the table could not have answered the event. */
export function doAsAnswered<Result>(
  { tool, value }: OrchestratorAnswer,
  replies: Readonly<Record<string, Reply<Result>>>,
): Promise<Result> {
  const known = replies[tool];
  if (known) return known(value);
  throw new Error(`Internal error: no handler for the answer ${tool}. Please report this.`);
}
