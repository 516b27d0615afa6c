/** The operation that caused a conflict without a decision, and who made it. (HOX-5.1) */
export interface ConflictCause {
  /** Full id of jj's operation. */
  readonly operation: string;
  /** jj's own words for it: "rebase commit …". */
  readonly description: string;
  /** An agent or orchestrator, `hox` for the user's actions in the app, `terminal` for anyone else. */
  readonly actor: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}
