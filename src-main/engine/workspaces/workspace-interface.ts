/**
 * Handles for the files of a commit and for running commands in them: their users know no path, because they may be on
 * another machine. `local-workspaces.ts` are on this one, `placed-workspaces.ts` on machines that offer places.
 */

import type { CheckRunner } from "../../agent/agent-interface.ts";
import type { CheckRunnerOptions } from "../../checks/check-runner.ts";
import type { Checks, ChosenCommands } from "../../checks/found-checks.ts";
import type { RunnerHandle } from "../../external-agents/start-runner.ts";
import type { Workspace } from "../../jj/ports/working-copies.ts";
import type { AgentToStart } from "../../places/host/remote-agent.ts";
import type { CacheLeftOut } from "../../tools/excluded-caches.ts";
import type {
  AdoptedProcess,
  CommandResult,
  FileAccess,
  LongRunningProcess,
  LongRunningProgram,
  NamespaceInit,
  PlacedCommand,
  Sandbox,
} from "../../tools/tool-interface.ts";
import type { WorkspaceFilesOptions } from "../../tools/workspace-files.ts";
import type { EngineRefusal } from "../engine-errors.ts";

/** The caller-specific part of access to a file. */
export interface FileRules extends Pick<WorkspaceFilesOptions, "protectedFiles" | "overrides" | "maxBytes"> {
  /** Whether anything could be taken back now: else nobody reads a file on another machine for it. */
  readonly mayOverride?: () => boolean;
}

/** How checks are chosen and judged; where they run is the handle's. */
interface PlacedChecks extends Omit<CheckRunnerOptions, "sandbox" | "defaultsFrom"> {
  /** The checkout whose files define the checks: its workers cannot write those. */
  readonly foundIn: CheckoutHandle;
}

/** Files and commands in one place. */
export interface CheckoutHandle {
  /** The same for as long as it is the same place. */
  readonly id: string;
  /** Its path for the user; for the screen only. */
  readonly location: string;
  /** Its files, as tools may read and write them. */
  files(rules?: FileRules): FileAccess;
  /** Runs a command there, held in by the operating system. */
  run(command: PlacedCommand): Promise<CommandResult>;
  /** Starts a program that stays there, held in likewise. */
  start(program: Omit<LongRunningProgram, "workspace">): Promise<LongRunningProcess>;
  /** Takes over one that an earlier host started here. */
  adopt(
    init: NamespaceInit,
    program: Pick<LongRunningProgram, "protectedFiles" | "exactPaths">,
  ): Promise<AdoptedProcess>;
  checks(options: PlacedChecks): CheckRunner;
  /** The checks that its files name. */
  foundChecks(chosen?: ChosenCommands): Promise<Checks>;
}

/** What is recorded, independent of its folder. */
export type RecordedWorkspace = Omit<Workspace, "folder">;

/** The working copy that one worker has of its change. */
export interface WorkspaceHandle extends CheckoutHandle, RecordedWorkspace {
  /** What tools made there that is never recorded. */
  cachesLeftOut(): Promise<readonly CacheLeftOut[]>;
  /**
   * Starts an agent of another make where the files are. It ends when they leave that place.
   * @param home starts it on this machine
   */
  startAgent(agent: AgentToStart, home: () => Promise<RunnerHandle>): Promise<RunnerHandle>;
  /** A call of that agent begins, as it names it. @returns to be called at its end */
  agentCall(what: string): () => void;
  /** Brings the files to where that agent is, which begins a turn. */
  bringToAgent(): Promise<void>;
  /** From now on Git shows this commit there. Nothing is written before Git is used. */
  showInGit(commit: string): void;
  /** Has what Git shows written now, for who works there without the sandbox. */
  writeGitView(): Promise<void>;
  /** Replaces what it shares with others by its own copies, for work without the sandbox. */
  ownPackages(options: {
    readonly signal: AbortSignal;
    readonly show: (name: string) => void;
  }): Promise<void>;
}

/** A checkout for one judge only. */
export interface FreshCheckout extends CheckoutHandle {
  remove(): Promise<void>;
}

/** Where a worker may work, if the run says that agents work on other machines. */
export type TravelRule =
  | { readonly kind: "anywhere" }
  /** Where the program of its agent is. */
  | { readonly kind: "with-agent"; readonly agent: string; readonly label: string }
  /** On this machine, because of what the user is told. */
  | { readonly kind: "stays"; readonly why: string };

/** Hands out the places where a run's workers work. */
export interface Workspaces {
  /** A worker's own, or null while it has none. */
  of(worker: string): WorkspaceHandle | null;
  /** Updates an existing one, creates a missing one. */
  ensure(worker: string, change: string): Promise<WorkspaceHandle>;
  /** Makes it one in which the project's checks can run, once for each time that it is made. */
  setUp(
    worker: string,
    workspace: WorkspaceHandle,
    signal: AbortSignal,
    /** Default: on this machine, and the user is told nothing. */
    rule?: TravelRule,
  ): Promise<void>;
  /** The user's folder: read only. */
  home(): CheckoutHandle;
  /** Copies with exactly the files of a commit, for judges. */
  checkouts(
    commit: string,
    options: {
      readonly signal: AbortSignal;
      /** Sets the files up for checks, once for all copies, as for this worker. */
      readonly setUpFor?: { readonly worker: string; readonly signal: AbortSignal };
    },
  ): Promise<Checkouts>;
  /** Records the files of every worker, or of those that are meant, in their changes. */
  saveAll(isMeant?: (worker: string) => boolean): Promise<void>;
  /** Saves the files of one and has jj know the workspace no more. */
  end(worker: string): Promise<void>;
  /** Has jj know a workspace no more whose folder is gone; one that is there stays. */
  forgetGone(worker: string): Promise<void>;
  /** Whether one of the machines on which the run's agents work has an agent of another make. */
  hasAgent(agent: string): boolean;
  /** Nobody works there for now: a place on another machine is free for others. */
  leave(worker: string): Promise<void>;
  /** What a worker has to be told of files that were lost with a machine, once; null: nothing. */
  takeLoss(worker: string): string | null;
  /** Ends the workspaces of a run that is over. */
  removeAll(): Promise<void>;
}

export interface Checkouts {
  checkout(): Promise<FreshCheckout>;
  /** Never fails. */
  remove(): Promise<void>;
}

export interface DiskUse {
  /** Counts a worker's workspace soon, unless that was done shortly before. */
  look(worker: string): void;
  /** Bytes, or null while nothing was counted or there is no workspace. */
  of(worker: string): number | null;
  /**
   * Why a worker may not continue before the user frees space, as last measured, or null. Requests a new
   * measurement.
   */
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

/** Best effort: a failure is reported once, and stops nothing. */
export interface GitViews {
  /** From now on Git shows a folder like this. Nothing is written before it can be used. */
  recorded(folder: string, as: RecordedAs): void;
  /** A folder is a copy of another one, with what Git shows there. */
  copied(from: string, to: string): void;
  /** Drops a folder's view. */
  forget(folder: string): void;
  /** Updates what Git shows in a folder, for work without a sandbox. */
  write(folder: string): Promise<void>;
  /** The same sandbox, and what Git shows is up to date for each of its commands. */
  before(sandbox: Sandbox): Sandbox;
}
