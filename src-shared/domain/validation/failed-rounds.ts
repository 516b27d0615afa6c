/** A verdict that failed, and what was done about it. */
export interface FailedRound {
  /** Counted from 1, as the attempt of its verdict. */
  readonly attempt: number;
  readonly verdict: "open" | "approved" | "rejected" | "vetoed" | "undecided";
  /** What was wrong: a seat's or a check's words each. */
  readonly reasons: readonly string[];
  readonly repair: {
    /** `rule`: one of the rounds that nobody is asked about. */
    readonly askedBy: "rule" | "person";
    /** What the person said to the integrator. */
    readonly words: string;
    /** What the integrator says that it repaired. */
    readonly summary: string;
  };
}

export type RoundEvent =
  | ({ readonly kind: "VerdictFailed" } & Omit<FailedRound, "repair">)
  | { readonly kind: "RepairWorded"; readonly words: string }
  | { readonly kind: "ResultRepaired"; readonly attempt: number; readonly summary: string };

/**
 * Adds what happened to the verdicts of a run that failed.
 * @returns the rounds, the first first; one that was judged anew, because a person edited the result, stands once
 */
export function reduceRounds(before: readonly FailedRound[], event: RoundEvent): readonly FailedRound[] {
  switch (event.kind) {
    case "VerdictFailed": {
      const { attempt, verdict, reasons } = event;
      const round: FailedRound = {
        ...{ attempt, verdict, reasons },
        repair: { askedBy: "rule", words: "", summary: "" },
      };
      return [...before.filter((one) => one.attempt !== attempt), round];
    }
    case "RepairWorded":
      return withRepair(before, before.at(-1)?.attempt, { askedBy: "person", words: event.words });
    case "ResultRepaired":
      return withRepair(before, event.attempt, { summary: event.summary });
  }
}

const withRepair = (
  rounds: readonly FailedRound[],
  attempt: number | undefined,
  repair: Partial<FailedRound["repair"]>,
): readonly FailedRound[] =>
  rounds.some((one) => one.attempt === attempt)
    ? rounds.map((one) => (one.attempt === attempt ? { ...one, repair: { ...one.repair, ...repair } } : one))
    : rounds;
