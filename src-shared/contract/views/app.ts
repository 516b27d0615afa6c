/** The app itself, apart from the open repository. */

import type { SlowCommand } from "../../domain/host/machine-state.ts";
import type { Opener, OpenerKind } from "../../domain/open-in/opener.ts";
import type { PersonRoles } from "../../domain/people/role.ts";
import type { FleetView } from "../../domain/places/machine-view.ts";
import type { Tempo } from "../../domain/rehearsal/tempo.ts";
import type { Settings } from "../settings.ts";
import type { RunSummary, RunView } from "./run.ts";

export interface AppView {
  readonly version: string;
  readonly shell: "electron" | "browser";
  readonly platform: string;
  readonly isolation: IsolationView;
  readonly key: KeyView;
  readonly tools: readonly ToolView[];
  /** How far the jj is that is being fetched, in bytes; null while none is. */
  readonly jjFetch: { readonly received: number; readonly total: number | null } | null;
  /** Commands of jj that run for longer than any should; the one that has run longest comes first. */
  readonly slowCommands: readonly SlowCommand[];
  readonly recent: readonly RecentRepository[];
  readonly rehearsals: readonly RehearsalView[];
  /** How fast scripted models speak. */
  readonly rehearsalTempo: Tempo;
  /** True when the host can open the system's own folder dialog. */
  readonly nativeDialog: boolean;
  /** A folder that Hox was started with and could not open as it is: the window asks about it. Null once a repository is open. */
  readonly folderToOpen: string | null;
  readonly settings: Settings;
  /** The name of the user who started the host, where several people share it. Absent: it has one user. */
  readonly owner?: string;
  /** The person whose window this is. Absent: the user who started the host. `owners`: who can give roles. */
  readonly me?: PersonRoles & { readonly name: string; readonly owners: readonly string[] };
  /** Other machines on which agents work. */
  readonly fleet: FleetView;
}

export interface IsolationView {
  readonly kind: "bubblewrap" | "seatbelt" | "none";
  /** In a few words, for the edge of the window. */
  readonly summary: string;
  readonly description: string;
  readonly allowed: boolean;
}

export interface KeyView {
  readonly source: "environment" | "keychain" | "session" | "none";
  /** Last four characters, or null without a key. The key itself never leaves the host. */
  readonly hint: string | null;
  readonly baseUrl: string | null;
  /** The provider accepted the key when it was saved. */
  readonly isVerified: boolean;
  readonly warning: string | null;
}

export interface ToolView {
  readonly part: string;
  readonly found: boolean;
  readonly version: string | null;
  readonly note: string | null;
  readonly remedy: string | null;
  /** True if Hox can install its own instead (`tools.fetchJj`). */
  readonly canFetch: boolean;
}

export interface RecentRepository {
  readonly path: string;
  readonly name: string;
  /** A copy of an example that a rehearsal was played in. */
  readonly isRehearsal: boolean;
  readonly openedAt: number;
  readonly exists: boolean;
  /**
   * Its unfinished run according to its journal; null: there is none. For its status here see
   * `OpenRepositoryView`.
   */
  readonly unfinished: UnfinishedRun | null;
}

export interface UnfinishedRun {
  readonly goal: string;
  /** Cards that wait for the user. */
  readonly waiting: number;
  /** Whether another host works on it; null: none does, and it resumes when its repository is opened. */
  readonly inOtherHost: "goes-on" | "paused" | null;
}

export interface RehearsalView {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** From its start to its landing at the usual pace, answered at once; as measured. */
  readonly seconds: number;
}

export interface RepositoryView {
  readonly path: string;
  readonly name: string;
  /** True for the copy of the bundled example that a rehearsal works on. */
  readonly rehearsal: string | null;
  readonly runs: readonly RunSummary[];
  /** Another host works here (which one): this one shows the repository and changes nothing. */
  readonly lockedBy?: string;
}

export interface OpenRepositoryView {
  readonly path: string;
  readonly name: string;
  /** Another host works here (which one): this one shows the repository and changes nothing. */
  readonly lockedBy?: string;
  /** Active ones, and those that ended since the newest one began; the newest last. */
  readonly runs: readonly RunStatus[];
  /** Cards that wait for the user, oldest first. */
  readonly waiting: readonly WaitingCard[];
}

/** The status of a run. */
export interface RunStatus
  extends Pick<
    RunView,
    "id" | "goal" | "stage" | "phase" | "paused" | "endedAt" | "endedBy" | "landed" | "failure"
  > {
  /** Of the phase that is worked on; null before the plan is approved. */
  readonly phaseTitle: string | null;
}

export interface WaitingCard {
  readonly id: string;
  readonly run: string;
  /** What kind of card it is: "Question". */
  readonly title: string;
  readonly headline: string;
}

/** A program that may open places, and whether it is on the machine of the host. */
export interface OpenerView extends Opener {
  readonly isFound: boolean;
}

export type OpenersView = Readonly<Record<OpenerKind, readonly OpenerView[]>>;

/** What became of opening a place. */
export type OpenedView =
  /** `note`: a limitation, e.g. that the file is a read-only copy. */
  | { readonly kind: "opened"; readonly program: string; readonly path: string; readonly note: string | null }
  /** The window is on another machine than the host, so no program is started there. */
  | {
      readonly kind: "elsewhere";
      readonly path: string;
      readonly folder: string;
      readonly line: number | null;
      readonly note: string | null;
      /** Of the machine of the host, for `ssh`. */
      readonly machine: string;
      readonly user: string;
    };
