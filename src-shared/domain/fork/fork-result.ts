/** The result of a fork for its caller: the same shape for every call. (HIVE-6) */

export interface ForkResult {
  readonly status: "success" | "error";
  /** The fork's last message; empty if there is none. */
  readonly content: string;
  /** Why it failed, with what can be done; null for a success. */
  readonly error: string | null;
  readonly metadata: {
    /** `clone`, or the name of a named agent. */
    readonly agent: string;
    readonly model: string;
    readonly provider: string;
    readonly latency_ms: number;
    /** Of all its requests together; what was read from a cache counts as input. */
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  };
}

/** What an agent is called that is its caller's copy. */
export const cloneName = "clone";

/** Whether a call asks for a copy of its caller. (HIVE-2) */
export const isCloneCall = (agent: string): boolean => ["", cloneName].includes(agent.trim());
