export interface MessageView {
  readonly changeId: string;
  readonly from: string;
  readonly to: string;
  readonly type: "mutation" | "info" | "align-request";
  readonly text: string;
  readonly at: number;
  readonly handled: boolean;
  /** Which workers got it with a prompt, and when (ms since 1970). Absent if none did. */
  readonly delivered?: readonly { readonly worker: string; readonly at: number }[];
  /** The message that it answers. Absent where it answers none. */
  readonly replyTo?: string;
}
