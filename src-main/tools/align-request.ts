import { z } from "zod";
import type { Tool } from "./tool-interface.ts";

const input = z.strictObject({
  question: z.string().min(1).max(4000),
  options: z
    .array(z.string().min(1))
    .max(6)
    .optional()
    .describe("Answers to choose from, where there are some."),
  blocking: z.boolean().optional().describe("Default true: you cannot continue without an answer."),
});

export const alignRequest: Tool<z.infer<typeof input>> = {
  name: "align_request",
  description:
    "Asks your orchestrator. Use it when the task leaves something open that others rely on, or when a decision seems " +
    "wrong: never work around a decision.",
  input,
  writes: true,
  onlySignals: true,
  async run({ question, options = [], blocking = true }) {
    return {
      ok: true,
      output: blocking
        ? "Asked. The answer comes in the next message."
        : "Asked. Continue; the answer comes later.",
      signal: { kind: "align-request", question, options, blocking },
    };
  },
};
