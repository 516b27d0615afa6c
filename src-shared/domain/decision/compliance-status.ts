import { shownName } from "../text/shown-text.ts";
/** A line that speaks for or against a verdict. */
export interface Place {
  readonly path: string;
  /** 1-based; null for a line that should be there and is not. */
  readonly line: number | null;
  readonly text: string;
}

/** What showed that work contradicts a decision. */
type ShownBy =
  /** jj records a conflict that the decision's own operation brought. */
  | "conflict"
  /** The work uses what the decision replaced, where no conflict can show it. */
  | "compliance"
  /** The work took lines of the decision out, or brought back what it had removed. */
  | "override";

/** How one worker's change complies with a decision that binds it. Plain JSON. (HOX-5.1, 5.2, 5.4) */
export interface ComplianceStatus {
  readonly worker: string;
  /** `unchecked`: its work as it is now was not held against the decision yet. */
  readonly state: "unchecked" | "complies" | "contradicts";
  /** Null unless it contradicts. */
  readonly shownBy: ShownBy | null;
  /** For the agent and for the user; may be empty. */
  readonly reason: string;
  readonly places: readonly Place[];
  /**
   * Names that the worker used in the decision's place: they are searched in addition to the decision's own.
   */
  readonly guessed: readonly string[];
}

/** Nothing is known of a worker and a decision yet. */
export const unchecked = (worker: string, guessed: readonly string[] = []): ComplianceStatus => ({
  worker,
  state: "unchecked",
  shownBy: null,
  reason: "",
  places: [],
  guessed,
});

/** The worker's work was held against the decision and follows it. */
export const complies = (before: ComplianceStatus, reason: string): ComplianceStatus => ({
  ...unchecked(before.worker, before.guessed),
  state: "complies",
  reason,
});

/** The worker's work contradicts the decision. */
export const contradicts = (
  before: ComplianceStatus,
  shownBy: ShownBy,
  reason: string,
  places: readonly Place[],
): ComplianceStatus => ({ ...before, state: "contradicts", shownBy, reason, places });

/** `src/api.ts:12`, or the path alone for a line that is missing. */
export const placeName = ({ path, line }: Place): string =>
  line === null ? shownName(path) : `${shownName(path)}:${line}`;
