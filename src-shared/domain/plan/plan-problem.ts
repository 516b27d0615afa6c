/** A problem of a plan. A `fatal` one prevents approval; a `warning` is only shown. */
export interface PlanProblem {
  readonly severity: "fatal" | "warning";
  /** `overlap`: two tasks side by side claim one file. `import`: a file of one imports a file of the other. `attempts`:
   * tried several times, which costs as often. `taken`: another run works on its files. `no-details`: an agent would know nothing but its title. */
  readonly kind:
    | "no-integration"
    | "no-task"
    | "same-id"
    | "no-phase"
    | "unknown"
    | "later-phase"
    | "circle"
    | "hierarchy"
    | "overlap"
    | "import"
    | "attempts"
    | "taken"
    | "no-details";
  /** Ids of the tasks it is about. */
  readonly tasks: readonly string[];
  /** For a model, and for the terminal: tasks go by their ids. A window says it with titles (`problem-words.ts`). */
  readonly text: string;
  /** Claims that both tasks of an `overlap` have; of an `import` the files of the second task that the first one's import. */
  readonly files?: readonly string[];
  /** Of a `taken`: those that another run has. */
  readonly claims?: readonly string[];
}
