import { z } from "zod";
import type { Tool } from "./tool-interface.ts";

const input = z.strictObject({
  summary: z.string().min(1).max(4000).describe("What was done and how it was checked, in a few sentences."),
  blocked: z.string().min(1).max(4000).optional().describe("Only if the task cannot be done: why."),
});

export const reportDone: Tool<z.infer<typeof input>> = {
  name: "report_done",
  description:
    "Ends the task. Use it once, when nothing is left to do. It counts only when all checks pass afterwards; otherwise you " +
    "get their output and continue.",
  input,
  writes: true,
  onlySignals: true,
  async run({ summary, blocked }) {
    return blocked === undefined
      ? { ok: true, output: "Reported.", signal: { kind: "done", summary } }
      : { ok: true, output: "Reported as blocked.", signal: { kind: "blocked", reason: blocked } };
  },
};
