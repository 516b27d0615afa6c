/** What some capabilities keep of a run for themselves and lend to others, as interfaces. */

import type { RadarPair } from "#shared/domain/conflict/radar.ts";
import type { Dependencies, DependencyEvent } from "#shared/domain/dependencies/dependency-events.ts";
import type { FirstLookEvent, FirstLookState } from "#shared/domain/project/first-look.ts";
import type { Sandbox } from "../tools/tool-interface.ts";
import type { EngineRefusal } from "./engine-errors.ts";

/** Shows, while agents work, which of them are about to collide, and on which files. (design section 4) */
export interface Radar {
  /** Something was saved: looks soon. Many requests are one look. */
  look(): void;
  /** What the last look found. */
  pairs(): readonly RadarPair[];
  /** Looks no more; resolves when nothing is being tried. */
  stop(): Promise<void>;
}

export interface DependencyLog {
  state(): Dependencies;
  append(event: DependencyEvent): void;
  /** Waits for a state. @throws Interrupted when the signal aborts first */
  until(condition: (state: Dependencies) => boolean, signal: AbortSignal): Promise<void>;
  /** One piece of work after another, in the order in which they came; a failure of one is its caller's. */
  inOrder<T>(work: () => Promise<T>): Promise<T>;
}

export interface FirstLookLog {
  state(): FirstLookState;
  append(event: FirstLookEvent): void;
}

export interface DiskUse {
  /** Counts a worker's workspace soon, unless that was done shortly before. */
  look(worker: string): void;
  /** Bytes, or null while nothing was counted or there is no workspace. */
  of(worker: string): number | null;
  /** Why a worker may not go on before somebody has made room, as last counted, or null. Has it counted soon. */
  check(worker: string): EngineRefusal | null;
  /** Counts now, however fresh the last count is. */
  recount(worker: string): Promise<void>;
  /** Ends what is being counted. */
  close(): void;
}

/** What a folder holds, as it is recorded. */
export interface RecordedAs {
  readonly commit: string;
  /** Whether the commit is finished work, which Git shows as HEAD, or work on top of HEAD. Default: on top. */
  readonly isFinished?: boolean;
}

/** Nice to have: what fails is told once, and stops nothing. */
export interface GitViews {
  /** From now on Git shows a folder like this. Nothing is written before somebody can ask. */
  recorded(folder: string, as: RecordedAs): void;
  /** A folder is a copy of another one, with what Git shows there. */
  copied(from: string, to: string): void;
  /** Nothing of it stands in a folder any more. */
  forget(folder: string): void;
  /** Brings what Git shows in a folder up to date, for whoever works there without a sandbox. */
  write(folder: string): Promise<void>;
  /** The same sandbox, and what Git shows is up to date for each of its commands. */
  before(sandbox: Sandbox): Sandbox;
}
