/**
 * Agents that files of the repository name. Read once for a run, from the commit that it builds on, which a person made,
 * and never from a workspace, where an agent could write one.
 */
import type { Run, RunJournal, RunReader } from "../ports.ts";

/** An agent as its file describes it. Plain JSON. */
export interface NamedAgent {
  readonly name: string;
  /** When to use it, for whoever may. */
  readonly description: string;
  /** Its system prompt. */
  readonly system: string;
  /** Names of our tools; null: all that a fork may have. */
  readonly tools: readonly string[] | null;
  /** Null: as configured, else its caller's. */
  readonly model: string | null;
  readonly limits: {
    readonly maxTurns: number | null;
    readonly timeoutSeconds: number | null;
    readonly budgetUsd: number | null;
  };
  readonly source: { readonly path: string; readonly kind: "hox" | "claude" };
}

const step = "named-agents";

/** What is known of them; nobody before `readNamedAgents`. */
export const namedAgents = (run: RunReader & RunJournal): readonly NamedAgent[] =>
  run.journal.step<readonly NamedAgent[]>(run.id, step)?.result ?? [];

/** Reads them once for a run. */
export async function readNamedAgents(run: Run): Promise<void> {
  await run.step(step, async (): Promise<readonly NamedAgent[]> => []);
}
