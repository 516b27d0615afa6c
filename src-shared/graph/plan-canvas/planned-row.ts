import type { PlanPart } from "../plan-layout.ts";
import type { RowDetail } from "../run-canvas/run-canvas.ts";

/** The lane of a planned task. */
export interface PlannedRow {
  /** Its name among what is drawn; two tasks of one id have two. */
  readonly id: string;
  readonly part: PlanPart;
  /** Its place in the plan. */
  readonly index: number;
  readonly y: number;
  readonly height: number;
  readonly detail: RowDetail;
  /** The position of its work, in the column of its phase. */
  readonly box: { readonly x: number; readonly width: number };
}
