import type { Todo } from "../../domain/orientation/todo.ts";
import type { SessionKind } from "../../domain/sessions/outside-session.ts";

/** A session of the user's own agent in the repository, shortened for the screen. Untrusted text. */
export interface SessionView {
  /** As people call it: `claude-1a2b3c4d`. */
  readonly name: string;
  readonly kind: SessionKind;
  /** Cut; empty where nothing is known. */
  readonly goal: string;
  /** The file of its plan; null where it has none. */
  readonly plan: string | null;
  readonly todos: readonly Todo[];
  /** ms since 1970. */
  readonly lastActivityAt: number;
  /** Whether it works on what it was asked last. */
  readonly isWorking: boolean;
  /** Files that its last turn in this run changed. */
  readonly files: readonly string[];
  readonly folder: string;
  /** The source of all this. */
  readonly source: string;
}
