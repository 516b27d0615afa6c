/** How far a panel can be trusted: what later happened to the results that it approved or rejected in this repository. */

/** Who judges. */
export interface PanelMakeup {
  readonly strategy: string;
  readonly seats: readonly {
    readonly seat: string;
    readonly evidence: string;
    readonly model: string;
  }[];
}

interface CountedVotes {
  readonly commitId: string;
  readonly attempt: number;
  /** `vetoed`: a check failed, and no seat was asked. */
  readonly verdict: "open" | "approved" | "rejected" | "vetoed" | "undecided";
  readonly strategy?: string;
  readonly seats: readonly { readonly seat: string; readonly evidence: string; readonly model?: string }[];
  readonly overruled?: object;
}

/** The events of a run that give a verdict, or decide what becomes of it. */
export type VerdictEvent =
  | { readonly kind: "VotesCounted"; readonly validation: CountedVotes }
  | {
      readonly kind:
        | "ResultReturned"
        | "ResultLanded"
        | "LandingUndone"
        | "LandingRedone"
        | "LandingReverted";
    };

/** What became of a verdict. */
export type VerdictOutcome =
  /** Approved and landed. */
  | "landed"
  /** Approved and landed; then the landing was undone. */
  | "undone"
  /** Approved and landed; then a commit on the branch reverted it. */
  | "reverted"
  /** Approved; instead of landing it, the user had it repaired. */
  | "reopened"
  /** Rejected, then repaired or given up. */
  | "rejected"
  /** Rejected, and landed because the user overruled the panel. */
  | "overruled";

/** A verdict of a panel whose outcome is known. */
export interface RecordedVerdict {
  readonly run: string;
  readonly panel: PanelMakeup;
  readonly outcome: VerdictOutcome;
}

/** How many verdicts of a panel had which outcome. */
export interface PanelTrust {
  /** All approvals, with those that turned out wrong: `undone`, `reverted` and `reopened`. */
  readonly approved: number;
  readonly undone: number;
  readonly reverted: number;
  readonly reopened: number;
  /** All rejections, with those that the user overruled. */
  readonly rejected: number;
  readonly overruled: number;
}

/** With fewer verdicts the counts are shown as too few. */
const minVerdicts = 10;

/** The panel that cast these votes. A seat without its own model uses that of all validators. */
export const panelOf = ({ strategy, seats }: Pick<CountedVotes, "strategy" | "seats">): PanelMakeup => ({
  strategy: strategy ?? "dedicated_validators",
  seats: seats.map(({ seat, evidence, model }) => ({ seat, evidence, model: model ?? "" })),
});

interface GivenVerdict {
  /** A result is judged again in another attempt, or after it was edited. */
  readonly key: string;
  readonly panel: PanelMakeup;
  readonly isApproval: boolean;
  /** Null: nothing happened to it yet. */
  readonly outcome: VerdictOutcome | null;
}

/**
 * The verdicts of one run whose outcome is known. An approval that never landed is left out.
 *
 * @param events in order
 * @param isOver whether the run has ended: until then its last rejection may still be overridden
 */
export function verdictsIn(
  events: readonly VerdictEvent[],
  isOver: boolean,
): readonly Omit<RecordedVerdict, "run">[] {
  let given: readonly GivenVerdict[] = [];
  let current: string | null = null;
  for (const event of events) {
    if (event.kind === "VotesCounted") {
      const verdict = givenBy(event.validation);
      current = keyOf(event.validation);
      if (verdict) given = [...given.filter(({ key }) => key !== verdict.key), verdict];
    } else {
      given = given.map((one) => (one.key === current ? { ...one, outcome: outcomeAfter(one, event) } : one));
    }
  }
  return given.flatMap(({ key, panel, isApproval, outcome }) => {
    const isFinal = isOver || key !== current;
    const known = outcome ?? (isFinal && !isApproval ? "rejected" : null);
    return known === null ? [] : [{ panel, outcome: known }];
  });
}

const keyOf = ({ attempt, commitId }: CountedVotes): string => `${attempt} ${commitId}`;

/**
 * Null if the seats gave no verdict: not all have voted, they are undecided, or a check failed before they
 * were asked.
 */
function givenBy(votes: CountedVotes): GivenVerdict | null {
  const { verdict, overruled } = votes;
  if (verdict !== "approved" && verdict !== "rejected") return null;
  return {
    key: keyOf(votes),
    panel: panelOf(votes),
    isApproval: verdict === "approved",
    outcome: overruled === undefined ? null : "overruled",
  };
}

/** A rejection that the user overruled was right if the landing did not last. */
function outcomeAfter(
  { isApproval }: GivenVerdict,
  { kind }: Exclude<VerdictEvent, { kind: "VotesCounted" }>,
): VerdictOutcome {
  switch (kind) {
    case "ResultLanded":
    case "LandingRedone":
      return isApproval ? "landed" : "overruled";
    case "LandingUndone":
      return isApproval ? "undone" : "rejected";
    case "LandingReverted":
      return isApproval ? "reverted" : "rejected";
    case "ResultReturned":
      return isApproval ? "reopened" : "rejected";
  }
}

/** The same number of seats, filled in the same way with the same models. What the seats look at depends on the run. */
function isSamePanel(one: PanelMakeup, other: PanelMakeup): boolean {
  const models = ({ seats }: PanelMakeup): string =>
    seats
      .map(({ model }) => model)
      .sort()
      .join("\n");
  return one.strategy === other.strategy && models(one) === models(other);
}

/**
 * Counts what happened to the verdicts of a panel.
 *
 * @param exceptRun whose verdicts are not counted, because one of them is looked at
 */
export function trustIn(
  verdicts: readonly RecordedVerdict[],
  panel: PanelMakeup,
  exceptRun: string | null = null,
): PanelTrust {
  const outcomes = verdicts
    .filter((one) => one.run !== exceptRun && isSamePanel(one.panel, panel))
    .map(({ outcome }) => outcome);
  const count = (...of: readonly VerdictOutcome[]): number =>
    outcomes.filter((outcome) => of.includes(outcome)).length;
  return {
    approved: count("landed", "undone", "reverted", "reopened"),
    undone: count("undone"),
    reverted: count("reverted"),
    reopened: count("reopened"),
    rejected: count("rejected", "overruled"),
    overruled: count("overruled"),
  };
}

/** One line for readers of that panel's verdict. */
export function trustLine(trust: PanelTrust): string {
  const { approved, undone, reverted, reopened, rejected, overruled } = trust;
  if (approved + rejected === 0)
    return "This panel has no track record here yet. It builds up as results land, are undone or are overruled.";
  const wrong = [
    ...(undone > 0 ? [`${undone} undone`] : []),
    ...(reverted > 0 ? [`${reverted} reverted`] : []),
    ...(reopened > 0 ? [`${reopened} reopened`] : []),
  ];
  const parts = [
    ...(approved > 0
      ? [`${approved} approved (${wrong.join(", ") || "none undone, reverted or reopened"})`]
      : []),
    ...(rejected > 0 ? [`${rejected} rejected (${overruled > 0 ? overruled : "none"} overruled)`] : []),
  ];
  const caveat =
    approved + rejected >= minVerdicts ? "" : ` Fewer than ${minVerdicts} verdicts: too few to rely on.`;
  return `Track record of this panel: ${parts.join(", ")}.${caveat}`;
}

/** Which goals are most like one: what a result is held against should be of the same kind. */
const keywordsIn = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);

/** Share of the words that two texts have in common, of all that they have: 0 to 1. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const all = new Set([...one, ...other]).size;
  return all === 0 ? 0 : [...one].filter((word) => other.has(word)).length / all;
}

/**
 * In the order of their similarity to a goal; of equally similar ones the first given stays first.
 *
 * @param goal the user's text
 * @param others anything with a goal
 */
export function byLikeness<Other extends { readonly goal: string }>(
  goal: string,
  others: readonly Other[],
): readonly Other[] {
  const words = keywordsIn(goal);
  return others
    .map((other) => ({ other, like: likeness(words, keywordsIn(other.goal)) }))
    .sort((a, b) => b.like - a.like)
    .map(({ other }) => other);
}
