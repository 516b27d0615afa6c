import type { z } from "zod";
import type { Tool } from "./tool-interface.ts";

/** A tool whose only purpose is an answer in a fixed shape (a plan, a vote, a decision); it ends the turn. */
export function structuredTool<Value>(name: string, description: string, schema: z.ZodType<Value>): Tool {
  return {
    name,
    description,
    input: schema,
    writes: true,
    onlySignals: true,
    run: async (value) => ({ ok: true, output: "Received.", signal: { kind: "structured", name, value } }),
  };
}
