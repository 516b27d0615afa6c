/** What the host shows of its state. Renderer and CLI read these; only the host makes them. */
import type { BeyondTask } from "../domain/beyond-task.ts";
import type { Ceremony } from "../domain/ceremony-parts.ts";
import type { ConflictCause } from "../domain/conflict.ts";
import type { CheckResult } from "../domain/conversation.ts";
import type { Standing } from "../domain/decisions/standing.ts";
import type { Fold, FoldVoice } from "../domain/fold.ts";
import type { LandingHistory } from "../domain/landing-text.ts";
import type { Priority, Status } from "../domain/metadata.ts";
import type { Plan, PlannedTask } from "../domain/plan.ts";
import type { FirstLookTrouble, NamedChecks } from "../domain/project/first-look.ts";
import type { CheckOutcome } from "../domain/project/known-failures.ts";
import type { RadarPair } from "../domain/radar.ts";
import type { SlowCommand } from "../domain/slow-command.ts";
import type { Spent } from "../domain/usage.ts";

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
  /** True when the host can open the system's own folder dialog. */
  readonly nativeDialog: boolean;
  /** True when the host can show a folder in the system's file manager. */
  readonly showsFolders: boolean;
  readonly settings: Settings;
}

export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly model: string;
  readonly maxParallelAgents: number;
  readonly defaultMicroDollars: number | null;
  readonly defaultTokens: number | null;
  /** Said in so many words by the user: commands may run without a sandbox. */
  readonly allowUnsandboxed: boolean;
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
  readonly warning: string | null;
}

export interface ToolView {
  readonly part: string;
  readonly found: boolean;
  readonly version: string | null;
  readonly note: string | null;
  readonly remedy: string | null;
  /** True where Hox can put one of its own in its place (`tools.fetchJj`). */
  readonly canFetch: boolean;
}

export interface RecentRepository {
  readonly path: string;
  readonly name: string;
  readonly openedAt: number;
  readonly exists: boolean;
}

export interface RehearsalView {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** What a folder is, before it is opened. */
export type FolderView =
  | { readonly kind: "jj"; readonly root: string }
  | {
      readonly kind: "git";
      readonly root: string;
      readonly canAdopt: boolean;
      readonly reason: string | null;
    }
  | { readonly kind: "plain"; readonly root: string }
  | {
      readonly kind: "missing" | "unreadable" | "bare" | "broken";
      readonly root: string;
      readonly reason: string;
      readonly remedy: string;
    };

export interface RepositoryView {
  readonly path: string;
  readonly name: string;
  /** True for the copy of the bundled example that a rehearsal works on. */
  readonly rehearsal: string | null;
  readonly runs: readonly RunSummary[];
  /** Names of local bookmarks that a result may land on. */
  readonly mainBookmark: string | null;
  /** Another host works here (which one): this one shows the repository and changes nothing. */
  readonly heldBy?: string;
}

export type Stage =
  | "idle"
  | "planning"
  | "executing"
  | "integrating"
  | "validating"
  | "learning"
  | "landing"
  | "complete"
  | "failed"
  | "stopped";

export interface RunSummary {
  readonly id: string;
  readonly goal: string;
  readonly stage: Stage;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly microDollars: number;
}

export interface ProviderWait {
  /** Its limit, or that it cannot be reached or fails. Absent in what an earlier version wrote: a limit. */
  readonly kind?: "limit" | "outage";
  /** Since when, until when or to the next try, in ms since 1970; null: until a person resumes the run. */
  readonly since?: number;
  readonly until: number | null;
  readonly reason: string;
  readonly remedy?: string;
}

export interface RunView extends RunSummary {
  /** Name of the rehearsal whose scripted model speaks, or null for a real model. */
  readonly rehearsal: string | null;
  readonly model: string;
  readonly paused: "no" | "pausing" | "paused" | "budget";
  /** What the provider makes all agents wait for. Absent in what an earlier version wrote. */
  readonly providerLimit?: ProviderWait | null;
  /** Inbox ids that the run waits for. */
  readonly awaiting: readonly string[];
  /** Number of the phase in progress, 0 for contracts. */
  readonly phase: number;
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** Change ids. */
  readonly onto: string | null;
  readonly base: string | null;
  readonly integration: string | null;
  readonly workers: readonly WorkerView[];
  /** The root first; `plan`, `base`, `integration`, `stage` and `phase` beside this are the root's. */
  readonly orchestrators: readonly OrchestratorView[];
  readonly budget: BudgetView;
  readonly validation: ValidationView | null;
  readonly metrics: readonly WorkerMetrics[];
  readonly score: ScoreView | null;
  readonly failure: { readonly reason: string; readonly remedy: string } | null;
  readonly landed: {
    readonly bookmark: string;
    readonly changeId: string;
    /** The commits between which the bookmark moved. Absent in records of earlier versions. */
    readonly from?: string | null;
    readonly to?: string;
    /** ms since 1970, when it was taken back. */
    readonly undoneAt?: number | null;
  } | null;
  /** Rises by one with every repair round after a failed validation. */
  readonly attempt: number;
  /** What holds for this run now, set for it or configured. */
  readonly maxParallelAgents: number;
  readonly maxIterations: number;
  /** Agents whose work cannot be joined as it stands; nothing is in conflict yet. Empty when nobody collides. */
  readonly radar: readonly RadarPair[];
  /** Decisions that were applied, oldest first. */
  readonly decisions: readonly DecisionView[];
  /** How the checks came out before the run began; null before that. Absent in what an earlier version wrote. */
  readonly firstLook?: FirstLookView | null;
}

/** The project's checks on what the run builds on. */
export interface FirstLookView {
  readonly commitId: string;
  /** Nobody has to say anything to it any more. */
  readonly isSettled: boolean;
  /** All of it as text. */
  readonly lines: readonly string[];
  /** Tools of another version than the project asks for. Absent in what an earlier version wrote. */
  readonly versions?: readonly string[];
  readonly checks: readonly {
    readonly name: string;
    readonly command: string;
    readonly outcome: CheckOutcome;
    readonly ms: number;
    readonly failureCount: number | null;
    readonly remedy: string | null;
    readonly isLeftOut: boolean;
  }[];
  /** No check will run. */
  readonly isUnchecked: boolean;
}

/** A mutation that binds everyone below it, and who follows it by now. */
export interface DecisionView {
  readonly changeId: string;
  readonly orchestrator: string;
  readonly title: string;
  readonly reason: string;
  readonly files: readonly string[];
  /** One for each worker that has begun work below it. */
  readonly standings: readonly Standing[];
}

/** An orchestrator and the part of the run that it leads. (HOX-3.1) */
export interface OrchestratorView {
  readonly name: string;
  readonly parent: string | null;
  /** Letter of its level: A is the root. */
  readonly level: string;
  readonly title: string;
  /** The task of its parent's plan that was delegated to it; null for the root. */
  readonly task: string | null;
  /** `sleeping`: no process and no tokens until an event wakes it. `waiting`: for a person, or held. */
  readonly state: "planned" | "active" | "sleeping" | "waiting" | "done";
  readonly activity: string;
  readonly stage: Stage;
  readonly phase: number;
  readonly tasksDone: number;
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** What its plan needs beside the agents, as chosen with the plan; null before, and in runs of earlier versions. */
  readonly ceremony?: Ceremony | null;
  /** Change ids. */
  readonly base: string | null;
  readonly integration: string | null;
  /** By itself and by everyone below it. */
  readonly spent: Spent;
}

export interface BudgetView {
  readonly limitTokens: number | null;
  readonly limitMicroDollars: number | null;
  readonly spent: Spent;
  readonly state: "ok" | "warning" | "exhausted";
  /** Worker → spent. */
  readonly byWorker: Readonly<Record<string, Spent>>;
  /** [ms since 1970, micro-dollars so far] points for the chart, thinned. */
  readonly history: readonly (readonly [number, number])[];
}

/** An orchestrator, agent, integrator or validator of the run. */
export interface WorkerView {
  /** `O-A-1`, `agent-1`, `integrator`, `validator-2`. */
  readonly name: string;
  readonly role: "orchestrator" | "agent" | "integrator" | "validator" | "reviewer";
  readonly parent: string | null;
  /** Its task in the plan of its parent. Absent in what an earlier version wrote. */
  readonly task?: string | null;
  /** Its change (task, base or integration change), if it has one. */
  readonly changeId: string | null;
  readonly title: string;
  readonly workspace: string | null;
  /** What its workspace takes on disk, as last counted; absent in what an earlier version wrote. */
  readonly diskBytes?: number | null;
  readonly phase: number;
  readonly priority: Priority | null;
  readonly status: Status;
  /** What it does right now, in a few words: "editing src/api.ts", "waits for your answer". */
  readonly activity: string;
  readonly state: "sleeping" | "waiting" | "thinking" | "tools" | "checking" | "paused" | "done" | "failed";
  readonly iteration: number;
  /** A person paused this one alone; it comes to its turn boundary and waits there. */
  readonly held: boolean;
  /** `mutation`: it contradicts a decision, in conflict or not; `merge`: two pieces of work meet in its files. */
  /** A person does its task in its workspace since then (ms since 1970). Then it is held as well. */
  readonly byHand: { readonly since: number } | null;
  /** Who had its task before, and who has it now; the latter never works again. */
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  readonly model: string;
  readonly budget: WorkerBudgetView;
  readonly conflict: "none" | "mutation" | "merge";
  /** Where a merge conflict comes from; null while there is none, or nobody knows. */
  readonly conflictCause: ConflictCause | null;
  readonly checks: readonly CheckResult[];
  /** Its finished work on the way to its parent; null before it was offered once. (HYLO-6) */
  readonly fold: Fold | null;
  /** Its work comes to nothing (no change of files or checks), or it says nothing any more; null when neither. (HYLO-14) */
  readonly quiet: "stalled" | "silent" | null;
  /** True when its work would conflict with what its siblings merged, and stays beside until the integration. */
  readonly beside: boolean;
  readonly contextTokens: number;
  readonly contextWindow: number;
  readonly spent: Spent;
  readonly toolCalls: number;
}

/** What one worker may spend and how long it may try; null is no limit. */
export interface WorkerBudgetView {
  readonly limitTokens: number | null;
  readonly limitMicroDollars: number | null;
  readonly maxIterations: number;
  /** By itself and by everyone below it. */
  readonly spent: Spent;
  readonly state: "ok" | "warning" | "exhausted";
}

/** What a person has changed in a task that it took in hand. */
export interface ByHandView {
  readonly worker: string;
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** ms since 1970. */
  readonly since: number;
  readonly files: readonly string[];
  /** Git-format. */
  readonly diff: string;
}

/** What became of the workspaces of runs that are over, as absolute paths. */
export interface CleanUp {
  readonly removed: readonly string[];
  /** They hold what jj does not record. */
  readonly kept: readonly { readonly folder: string; readonly reason: string; readonly remedy: string }[];
  /** Branches of agents, by name, and how many messages went with them. */
  readonly branches: readonly string[];
  readonly messages: number;
}

/** What runs that are over have left on the graph and for Git. */
export interface Leftovers {
  readonly workspaces: readonly string[];
  readonly branches: readonly string[];
  readonly messages: number;
  /** Work that has not landed, by run. It is only named. */
  readonly work: readonly {
    readonly run: string;
    readonly goal: string;
    readonly changes: readonly { readonly changeId: string; readonly title: string }[];
  }[];
}

/** What taking a landing back would do. */
export interface UndoLandingPreview {
  readonly bookmark: string;
  /** Where the branch stood before; null: there was none, and it goes away. */
  readonly from: string | null;
  readonly to: string;
  /** Titles of the commits that come off the branch, newest first. They stay on the graph. */
  readonly commits: readonly string[];
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

/** Where a run would stand when nothing else is said. */
export interface GroundView {
  /** The branch that the person is on, by Git; null for whoever works with jj, and where HEAD is at a commit. */
  readonly standsOn: string | null;
  readonly trunk: string | null;
  /** What it would be built on; null: there is no commit yet. */
  readonly base: GroundCommit | null;
  /** What the person's files stand on, where the base has not all of that. */
  readonly leftOut: GroundCommit | null;
}

export interface GroundCommit {
  readonly changeId: string;
  readonly commitId: string;
  readonly title: string;
}

/** What undoing one agent's work would take back, and what stays. */
export interface UndoPreview {
  readonly worker: string;
  readonly changeId: string;
  readonly title: string;
  /** The agent's own operations in this run, newest first, and how many there are in all. */
  readonly operations: readonly {
    readonly id: string;
    readonly time: number;
    readonly description: string;
  }[];
  readonly operationCount: number;
  /** Files of its change that go back to what the change inherits. */
  readonly files: readonly { readonly path: string; readonly kind: string }[];
  /** The changes whose content that is. */
  readonly backTo: readonly ChangeName[];
  /** Others' work that would be rewritten because it stands on this one. Must be none, or it is refused. */
  readonly affected: readonly ChangeName[];
  /** Siblings that took it in: they are put on what it stood on, and all that is their own stays. */
  readonly moved: readonly ChangeName[];
  /** Other workers of the run: their changes, messages and decisions stay byte for byte. */
  readonly untouched: readonly string[];
  /** Why it cannot be undone now, and what to do; null when it can. */
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

export interface ChangeName {
  readonly changeId: string;
  readonly title: string;
}

export interface ValidationView {
  readonly commitId: string;
  readonly attempt: number;
  readonly seats: readonly SeatView[];
  readonly quorum: number;
  readonly tolerated: number;
  readonly verdict: "open" | "approved" | "rejected" | "vetoed" | "undecided";
  readonly checks: readonly CheckResult[];
  /** Why so many seats judge it. Absent in what an earlier version wrote. */
  readonly why?: string;
}

export interface SeatView {
  readonly seat: string;
  /** What this seat looks at: specification, diff, tests, attacker; `result` is all of it, of a seat that sits alone. */
  readonly evidence: string;
  readonly vote: "pending" | "approve" | "reject" | "abstain" | "error" | "timed-out" | "void";
  readonly reason: string;
  readonly at: number | null;
  /** True when the vote counted towards the verdict. */
  readonly counted: boolean;
}

export interface WorkerMetrics {
  readonly worker: string;
  readonly toolCalls: Readonly<Record<string, number>>;
  readonly failedCalls: number;
  readonly msByPhase: Readonly<Record<string, number>>;
  readonly conflictsMet: number;
  readonly alignRequests: number;
  readonly votes: { readonly passed: number; readonly failed: number };
  readonly spent: Spent;
}

export interface ScoreView {
  readonly quality: number;
  readonly completeness: number;
  readonly time: number;
  readonly efficiency: number;
  readonly total: number;
}

/** One decision that waits for a person. One card, one decision, the evidence beside it. */
export type InboxItem = InboxBase &
  (
    | {
        readonly kind: "plan";
        /** Whose plan it is. Absent on cards of earlier versions, which were all the root's. */
        readonly orchestrator?: string;
        readonly plan: Plan;
        /** What the run does beside its agents, and why. Absent on cards of earlier versions: all of it. */
        readonly ceremony?: Ceremony;
        readonly problems: readonly string[];
      }
    /** A plan wants orchestrators on a level that needs a person's yes. (HYLO-11) */
    | {
        readonly kind: "depth";
        readonly from: string;
        /** Letter of the level that would be new. */
        readonly level: string;
        /** Levels that need nobody's yes. */
        readonly allowed: number;
        readonly tasks: readonly { readonly title: string; readonly description: string }[];
        readonly reason: string;
      }
    /** An orchestrator wants more tasks in its plan while it is carried out. (HYLO-10) */
    | {
        readonly kind: "amendment";
        readonly from: string;
        /** Those with `delegate` get an orchestrator of their own, the others an agent each. */
        readonly tasks: readonly PlannedTask[];
        readonly reason: string;
        /** Why a person is asked although such plans pass by themselves; empty where they never do. */
        readonly problems: readonly string[];
      }
    | {
        readonly kind: "align-request";
        readonly from: string;
        readonly question: string;
        readonly options: readonly string[];
        readonly changeId: string | null;
      }
    | {
        readonly kind: "mutation";
        readonly from: string;
        readonly title: string;
        readonly reason: string;
        readonly diff: string;
        readonly binds: readonly string[];
        /** Found by a dry run on the real graph. */
        readonly conflicts: readonly {
          readonly worker: string;
          readonly changeId: string;
          readonly files: readonly string[];
        }[];
      }
    | {
        readonly kind: "budget";
        /** Whose budget it is, with everyone below it; null: the run's. */
        readonly worker: string | null;
        readonly spent: Spent;
        readonly limitTokens: number | null;
        readonly limitMicroDollars: number | null;
      }
    | { readonly kind: "votes"; readonly validation: ValidationView }
    /** An agent's finished work that a person judges: accept it, ask for changes, or give the task up. (HYLO-6) */
    | {
        readonly kind: "fold";
        /** The agent, its task and the change that it offers. */
        readonly from: string;
        readonly title: string;
        readonly changeId: string;
        readonly commitId: string;
        readonly round: number;
        /** Why a person is asked: always, because the parent leaves it to one, or after too many rounds. */
        readonly why: "person-reviews" | "passed-on" | "too-many-rounds";
        readonly summary: string;
        readonly diff: string;
        /** Files in it that the task was not given, and contracts. Absent on cards of earlier versions. (HYLO-16) */
        readonly beyond?: readonly BeyondTask[];
        /** Of a fresh checkout of that commit. */
        readonly checks: readonly CheckResult[];
        readonly voices: readonly FoldVoice[];
      }
    | {
        readonly kind: "pattern";
        readonly name: string;
        readonly category: string;
        readonly markdown: string;
        readonly confidence: number;
        readonly gates: readonly {
          readonly name: string;
          readonly passed: boolean;
          readonly detail: string;
        }[];
      }
    | {
        readonly kind: "land";
        readonly changeId: string;
        readonly commitId: string;
        readonly diffStat: readonly {
          readonly path: string;
          readonly added: number;
          readonly removed: number;
        }[];
        readonly bookmarks: readonly string[];
        readonly suggested: string | null;
        /** Of those files, the protected ones. Absent on cards of earlier versions. */
        readonly protectedPaths?: readonly string[];
        /** No check ran on it. Absent on cards of earlier versions. */
        readonly isUnchecked?: boolean;
        /** Names of checks that fail on it as they did before the run. Absent on cards of earlier versions. */
        readonly knownFailures?: readonly string[];
        /** The branch that the person stands on with Git. This and what follows is absent on cards of earlier versions. */
        readonly standsOn?: string | null;
        /** What lands where nothing else is said. */
        readonly history?: LandingHistory;
        /** The branch moved on since the run began, and the result was brought onto it. */
        readonly brought?: {
          readonly branch: string;
          readonly commits: readonly string[];
          readonly commitCount: number;
          readonly checks: readonly CheckResult[];
        } | null;
        /** What keeps the branch from moving now, and what to do. */
        readonly inTheWay?: string | null;
      }
    /** Changes to protected files that were taken out of an agent's change. */
    | {
        readonly kind: "protected";
        readonly worker: string;
        readonly paths: readonly string[];
        /** Holds them as they were found. */
        readonly commitId: string;
        readonly diff: string;
      }
    /** An agent asks for a package. Installed in a sandbox of its own, and in the files of everybody below. */
    | {
        readonly kind: "dependency";
        /** Who asks, the first first. */
        readonly from: string;
        readonly others: readonly string[];
        readonly name: string;
        /** Null: the newest. */
        readonly version: string | null;
        /** For developing alone. */
        readonly dev: boolean;
        /** npm, pnpm, uv, cargo, … */
        readonly manager: string;
        /** Of its manifest; "" is the repository's root. */
        readonly folder: string;
        readonly why: string;
        readonly command: string;
        /** What the command may reach, and what says so. */
        readonly hosts: readonly string[];
        readonly hostsFrom: string;
        /** False: there is no sandbox here, and it can reach and change everything. */
        readonly isHeld: boolean;
        /** Whether code of packages runs with it, in words. */
        readonly scripts: string;
        /** Files that it may change, lock files among them. */
        readonly files: readonly string[];
        /** What `dependencies.allow` would have to hold, so that nobody is asked again. */
        readonly rule: string;
      }
    /** Before the plan: nothing would be checked, something is red already, or takes too long. */
    | {
        readonly kind: "first-look";
        readonly commitId: string;
        readonly troubles: readonly FirstLookTrouble[];
        /** What the project is, in a few lines. */
        readonly facts: readonly string[];
        readonly checks: readonly {
          readonly name: string;
          readonly command: string;
          readonly speed: "fast" | "slow";
          readonly reason: string;
          readonly outcome: CheckOutcome;
          readonly ms: number;
          readonly isSlow: boolean;
          /** The first names of what failed; null where its report could not be read. */
          readonly failures: readonly string[] | null;
          readonly failureCount: number | null;
          readonly output: string;
          readonly remedy: string | null;
        }[];
        readonly setUpFailures: readonly string[];
        /** What would be written as `[backpressure]`. */
        readonly proposed: NamedChecks;
      }
    | { readonly kind: "sandbox"; readonly description: string }
    | {
        readonly kind: "trouble";
        readonly title: string;
        readonly detail: string;
        readonly remedy: string;
        readonly worker: string | null;
        /** It keeps one agent from its task: that can wait or be given up while everyone else goes on. */
        readonly task?: boolean;
      }
  );

export interface InboxBase {
  readonly id: string;
  readonly run: string;
  readonly at: number;
  /** One-time; an answer must carry it and the hash of what was shown. */
  readonly nonce: string;
  readonly shown: string;
}

export type InboxKind = InboxItem["kind"];

/** What a person may answer; checked by the host against the item's kind. */
export type Decision =
  | {
      readonly kind: "approve" /** An edited plan, or the bookmark to land on. */;
      readonly plan?: Plan;
      readonly bookmark?: string;
      /** The checks of the first look are written to `.hox/config.toml`. */
      readonly writeChecks?: boolean;
      /** What lands, where it is not what the card says. */
      readonly history?: LandingHistory;
      /** Of a dependency: what is not asked about again, this package in this run, or what the rule on the card says. */
      readonly remember?: "run" | "rule";
    }
  /** Checks of the first look that do not run, by command. */
  | {
      readonly kind: "leave-out";
      readonly commands: readonly string[];
      readonly writeChecks?: boolean | undefined;
    }
  /** Commands that check the work, in place of those that were found. */
  | {
      readonly kind: "use-checks";
      readonly fast: readonly string[];
      readonly slow: readonly string[];
      readonly writeChecks?: boolean | undefined;
    }
  | { readonly kind: "reject"; readonly reason: string }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "extend"; readonly tokens: number | null; readonly microDollars: number | null }
  /** `words` go to the agent whose trouble it is, with its next prompt. */
  | { readonly kind: "retry"; readonly words?: string | undefined }
  /** Its agent waits until it is resumed. */
  | { readonly kind: "hold" }
  /** Gives up the task whose work is in question. */
  | { readonly kind: "abandon" };

export interface MessageView {
  readonly changeId: string;
  readonly from: string;
  readonly to: string;
  readonly type: "mutation" | "info" | "align-request";
  readonly text: string;
  readonly at: number;
  readonly handled: boolean;
}
