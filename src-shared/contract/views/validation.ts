import type { CheckResult } from "../../domain/conversation/conversation.ts";

export interface ValidationView {
  readonly commitId: string;
  readonly attempt: number;
  readonly seats: readonly SeatView[];
  readonly quorum: number;
  readonly tolerated: number;
  readonly verdict: "open" | "approved" | "rejected" | "vetoed" | "undecided";
  readonly checks: readonly CheckResult[];
  /** Why so many seats judge it. Absent in what an earlier version wrote. */
  readonly why?: string;
}

export interface SeatView {
  readonly seat: string;
  /** What this seat looks at: specification, diff, tests, attacker; `result` is all of it, of a seat that sits alone. */
  readonly evidence: string;
  readonly vote: "pending" | "approve" | "reject" | "abstain" | "error" | "timed-out" | "void";
  readonly reason: string;
  readonly at: number | null;
  /** True when the vote counted towards the verdict. */
  readonly counted: boolean;
}
