import type { Budget } from "../../domain/spending/budget.ts";
import type { Spent } from "../../domain/spending/usage.ts";
import type { JudgedSample, PanelFigures, PlantedKind } from "../../domain/validation/calibration.ts";
import type { PanelMakeup } from "../../domain/validation/panel-trust.ts";
import type { JudgingEnd } from "./change-validation.ts";

/** One commit of a calibration, judged or not. */
export interface CalibrationSample {
  /** What is wrong with it; null: nothing. */
  readonly planted: PlantedKind | null;
  /** In the sample that comes with Hox, because the person's commit has no place for it. */
  readonly isBuiltIn: boolean;
  /** Where, `src/a.ts:12`; empty for a control. */
  readonly place: string;
  /** What was done there, in words; empty for a control. */
  readonly what: string;
  /** Null until it is judged. */
  readonly judged: Omit<JudgedSample, "planted"> | null;
}

/** A measurement of the panel of this repository, finished or not. */
export interface CalibrationView {
  readonly id: string;
  /** The good commit into which mistakes are planted. */
  readonly changeId: string;
  readonly commitId: string;
  readonly title: string;
  readonly panel: PanelMakeup;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** When its last commit was judged; null before. */
  readonly measuredAt: number | null;
  readonly samples: readonly CalibrationSample[];
  /** Of what was judged so far. */
  readonly figures: PanelFigures;
  readonly activity: string;
  readonly spent: Spent;
  readonly limit: Budget;
  /** Null while it goes on. One that did not come to its end goes on where it was when it is begun again. */
  readonly end: JudgingEnd | null;
}

/** What a calibration would do and cost, before anybody pays. */
export interface CalibrationForecast {
  readonly changeId: string;
  readonly commitId: string;
  readonly title: string;
  readonly panel: PanelMakeup;
  /** Commits with a mistake, and without. */
  readonly planted: number;
  readonly controls: number;
  /** Kinds for which the commit has no place: the sample that comes with Hox takes its place. */
  readonly builtIn: readonly PlantedKind[];
  /** Commits that an earlier attempt has judged already. */
  readonly judged: number;
  /** Votes that are still to be paid, and what they may cost. */
  readonly votes: number;
  readonly microDollars: number;
  /** On what that rests: so many votes that were paid here, or (0) the length of what is shown. */
  readonly paidVotes: number;
  readonly limit: Budget;
}
