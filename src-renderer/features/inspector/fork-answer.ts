/** The calls of `fork_subagent` in a transcript, and their answers. */
import { z } from "zod";
import { cloneName, type ForkResult, isCloneCall } from "#shared/domain/fork/fork-result.ts";

/** The tool by which a conversation forks. */
export const forkToolName = "fork_subagent";

const call = z.object({ agent: z.string(), task: z.string() });
export type ForkCallInput = z.infer<typeof call>;

const result = z.object({
  status: z.enum(["success", "error"]),
  content: z.string(),
  error: z.string().nullable(),
  metadata: z.object({
    agent: z.string(),
    model: z.string(),
    provider: z.string(),
    latency_ms: z.number(),
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
  }),
});

/** What was asked; null where a model called the tool with something else. */
export function readForkCall(input: unknown): ForkCallInput | null {
  const parsed = call.safeParse(input);
  if (!parsed.success) return null;
  const { agent, task } = parsed.data;
  return { agent: isCloneCall(agent) ? cloneName : agent.trim(), task };
}

/** What came of it; null where the answer is not a fork's, as of a call that was refused before. (HIVE-6) */
export function readForkResult(output: string): ForkResult | null {
  try {
    return result.safeParse(JSON.parse(output)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
