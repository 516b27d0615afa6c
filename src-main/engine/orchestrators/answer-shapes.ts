/** How an orchestrator answers a question, and asks one. */
import { z } from "zod";

export const answerShape = z.strictObject({
  agent: z.string().min(1).max(200),
  answer: z.string().min(1).max(20_000),
});
export const questionShape = z.strictObject({
  question: z.string().min(1).max(20_000),
  options: z.array(z.string().min(1).max(500)).max(8).default([]),
});
