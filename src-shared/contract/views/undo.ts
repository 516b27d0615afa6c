/** A preview of undoing one agent's work: what is undone, and what stays. */
export interface UndoPreview {
  readonly worker: string;
  readonly changeId: string;
  readonly title: string;
  /** The agent's own operations in this run, newest first, and how many there are in all. */
  readonly operations: readonly {
    readonly id: string;
    readonly time: number;
    readonly description: string;
  }[];
  readonly operationCount: number;
  /** Files of its change that go back to what the change inherits. */
  readonly files: readonly { readonly path: string; readonly kind: string }[];
  /** The changes whose content that is. */
  readonly backTo: readonly ChangeName[];
  /** Others' work that would be rewritten because it depends on this one. Must be empty, or it is refused. */
  readonly affected: readonly ChangeName[];
  /** Siblings that took it in: they are rebased onto its parents, and keep their own work. */
  readonly moved: readonly ChangeName[];
  /** Other workers of the run: their changes, messages and decisions stay byte for byte. */
  readonly untouched: readonly string[];
  /** Why it cannot be undone now, and what to do; null when it can. */
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

export interface ChangeName {
  readonly changeId: string;
  readonly title: string;
}
