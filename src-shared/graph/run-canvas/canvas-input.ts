/** What the canvas of a run is laid out from: plain facts of its plan, of who works on it, and of its timeline. */
import type { Priority } from "../../domain/change-metadata/metadata.ts";
import type { RunTimeline } from "../../domain/timeline/timeline.ts";

export interface RunCanvasInput {
  readonly root: CanvasPart;
  /** Null until the host has sent it. */
  readonly timeline: RunTimeline | null;
  /** What the run still goes through, as chosen with its plan: what is over is a mark at its time. */
  readonly ahead: {
    /** Written or not: they have no length. */
    readonly hasContracts: boolean;
    readonly hasIntegration: boolean;
    readonly seats: number;
    readonly hasLanding: boolean;
    /** Number of counted votes: shown at the time of the vote. */
    readonly voted?: number;
  };
  readonly radar: readonly CanvasMeeting[];
  /** Cards that wait for the user, oldest first. */
  readonly waiting: readonly CanvasCard[];
  /** ms since 1970. Of a run that has ended it does not count. */
  readonly now: number;
  readonly room: Room;
  /** The stretch of drawn time that fills the canvas; null: all of it. */
  readonly window: TimeWindow | null;
  /** Whether the window goes along with the present: then only its length counts. */
  readonly isFollowingNow: boolean;
  /** Parts that the user folded (true) or opened (false), by the name of their orchestrator. */
  readonly folded: Readonly<Record<string, boolean>>;
}

/** A card that waits for a user. */
export interface CanvasCard {
  readonly id: string;
  readonly worker: string | null;
  /** The labels of the buttons that answer it in place. */
  readonly answers: readonly string[];
}

/** px at the default text size; larger text leaves less of them. */
export interface Room {
  readonly width: number;
  readonly height: number;
}

/** ms since 1970, in time as it is drawn (`drawnTime`) */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** An orchestrator and the tasks of its plan, in the plan's order. */
export interface CanvasPart {
  readonly orchestrator: string;
  readonly title: string;
  readonly phases: readonly { readonly number: number; readonly title: string }[];
  readonly tasks: readonly CanvasTask[];
}

export interface CanvasTask {
  /** The id of its track: `O-A-1/<task>`. */
  readonly id: string;
  readonly title: string;
  readonly phase: number;
  readonly priority: Priority | null;
  readonly rank: string | null;
  /** Of a further attempt at a task: the id of the first one's lane. */
  readonly forkedFrom?: string;
  /** Its current worker; null if there is none. */
  readonly worker: string | null;
  readonly isFinished: boolean;
  /** Its own plan, where it was delegated. */
  readonly part: CanvasPart | null;
}

/** Two workers whose current work would conflict. */
interface CanvasMeeting {
  /** Two, or all that meet in one place. */
  readonly workers: readonly string[];
  /** Where: files, or a place and how many meet there. */
  readonly where: string;
}
