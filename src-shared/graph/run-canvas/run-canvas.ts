/** The canvas of a run as it is drawn: positions in px from the upper left corner of the panel. */
import type {
  TimelineBreak,
  TimelineDecision,
  TimelineMessage,
  TrackMark,
  TrackStretch,
} from "../../domain/timeline/timeline.ts";

export interface RunCanvas {
  readonly columns: CanvasColumns;
  /** Labels above the lanes: started phases over their time, later ones right of now. */
  readonly phases: readonly PhaseColumn[];
  /** From top to bottom, without the root's spine: that stays above while they scroll. */
  readonly rows: readonly CanvasRow[];
  /** Of the root's spine. */
  readonly spine: {
    readonly y: number;
    /** Whether the contracts are written, not only planned. */
    readonly areContractsWritten: boolean;
    readonly marks: readonly MarkGroup[];
    /** The run's states other than normal work. */
    readonly stretches: readonly RowStretch[];
  };
  /** Upper edge of the first row, and lower edge of the last. */
  readonly rowsTop: number;
  readonly rowsBottom: number;
  readonly links: readonly CanvasLink[];
  readonly decisions: readonly DecisionBar[];
  readonly messages: readonly MessageArc[];
  readonly brackets: readonly RadarBracket[];
  readonly bubbles: readonly WaitingBubble[];
  readonly breaks: readonly CanvasBreak[];
  /** What is shown, all that there is to show, and the present; drawn time, in ms since 1970. */
  readonly shown: { readonly from: number; readonly to: number };
  readonly whole: { readonly from: number; readonly to: number };
  readonly now: number;
}

/** A break that is drawn shortened. */
export interface CanvasBreak {
  readonly why: TimelineBreak["why"];
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
  /** Its length so far, in whole minutes or below one in seconds; ms. */
  readonly ms: number;
}

/** x of the columns with a fixed position. */
export interface CanvasColumns {
  /** Right edge of the margin, in which lanes have their names. */
  readonly margin: number;
  /** Null where the run has no contracts. */
  readonly contracts: { readonly x: number; readonly width: number } | null;
  /** Where time begins, where now is, and where it can get at most before time is drawn closer. */
  readonly start: number;
  readonly now: number;
  readonly end: number;
  readonly isNowShown: boolean;
  readonly integrate: { readonly x: number; readonly width: number } | null;
  /** Those who will vote, and those whose votes are counted, at the time of that. */
  readonly seats: readonly Point[];
  readonly votes: readonly Point[];
  readonly land: number;
}

export interface PhaseColumn {
  readonly orchestrator: string;
  readonly number: number;
  readonly title: string;
  readonly x: number;
  readonly width: number;
  readonly isAhead: boolean;
}

/** How much text fits into a row. */
export type RowDetail = "line" | "two" | "three" | "full";

export interface CanvasRow {
  readonly id: string;
  readonly kind: "lane" | "part";
  readonly title: string;
  /** Of a further attempt: the row of the first one. */
  readonly forkedFrom: string | null;
  readonly orchestrator: string;
  readonly worker: string | null;
  readonly phase: number;
  readonly depth: number;
  readonly y: number;
  readonly height: number;
  readonly detail: RowDetail;
  /** Whether anything has happened on it, shown or not. */
  readonly hasStarted: boolean;
  readonly isFinished: boolean;
  /** For a part only: whether it is folded, and what is below it. */
  readonly isFolded: boolean;
  readonly below: PartCounts;
  /** Where its line begins and ends; null while nothing has started. */
  readonly line: { readonly from: number; readonly to: number } | null;
  /** The rest of its way, straight on to where the ways of many lanes are gathered; null: a link leads there, or nowhere. */
  readonly ahead: { readonly from: number; readonly to: number } | null;
  /** Where it goes into its orchestrator's spine; null while it has not. */
  readonly mergedAt: number | null;
  readonly marks: readonly MarkGroup[];
  readonly stretches: readonly RowStretch[];
}

/** Lanes below a part, however deep: how many there are, how many are done, and at how many a card waits. */
export interface PartCounts {
  readonly lanes: number;
  readonly done: number;
  readonly asking: number;
}

export interface RowStretch {
  readonly id: string;
  readonly kind: TrackStretch["kind"];
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
}

/** What happened so close together that it is one mark; the last is what it shows. */
export interface MarkGroup {
  readonly id: string;
  readonly x: number;
  readonly marks: readonly TrackMark[];
}

/** A line between a spine and a lane. */
export interface CanvasLink {
  readonly id: string;
  /**
   * `forks`: from the lane of the agent whose task it tries, too. `ahead`: of few lanes, each its own. `gathers`: where the ways ahead of many go up into the spine as one line, which is
   * none of theirs.
   */
  readonly kind: "begins" | "forks" | "merges" | "ahead" | "gathers";
  /** The lane with its colour; null: none. */
  readonly row: string | null;
  readonly from: Point;
  readonly to: Point;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface DecisionBar {
  readonly decision: TimelineDecision;
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  /** The place of its title above the spine, next to its neighbours'; null: only its mark is shown. */
  readonly title: { readonly isLeft: boolean; readonly width: number } | null;
  /** The lanes in which it causes a conflict, with their workers. */
  readonly conflicts: readonly { readonly row: string; readonly worker: string | null; readonly y: number }[];
}

export interface MessageArc {
  readonly message: TimelineMessage;
  readonly from: Point;
  readonly to: Point;
}

export interface RadarBracket {
  readonly id: string;
  /** Two, or all that meet in one place, from the top. */
  readonly workers: readonly string[];
  readonly where: string;
  /** The middle of each one's lane. */
  readonly dots: readonly number[];
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
  /** On its lanes, at most one each. None under a card that waits. */
  readonly labels: readonly RadarLabel[];
}

interface RadarLabel extends Point {
  /** Who the lane would collide with. */
  readonly other: string;
  /** With how many others besides. */
  readonly more: number;
}

/** A card that waits for the user, at its worker's lane. */
export interface WaitingBubble {
  readonly card: string;
  /** Null: it is about the run as a whole, and stays below the spine while lanes are scrolled. */
  readonly row: string | null;
  readonly x: number;
  /** Its middle: next to its lane, or as near as others leave room. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The present end of its lane: right end and middle, of it or of the spine. */
  readonly from: number;
  readonly points: number;
  /** Further cards that wait at the same place. */
  readonly more: number;
}

/** px from the top to the middle of a row. */
export const middleOf = ({ y, height }: Pick<CanvasRow, "y" | "height">): number => y + height / 2;
