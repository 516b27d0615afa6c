export interface MessageView {
  readonly changeId: string;
  readonly from: string;
  readonly to: string;
  readonly type: "mutation" | "info" | "align-request";
  readonly text: string;
  readonly at: number;
  readonly handled: boolean;
  /** The message that it answers. Absent where it answers none. */
  readonly replyTo?: string;
}
