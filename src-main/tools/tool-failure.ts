import type { ToolErrorKind } from "./tool-interface.ts";

/** A tool call that failed for a reason the agent can act on. The message is what the agent reads. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly kind: ToolErrorKind;
  constructor(kind: ToolErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
