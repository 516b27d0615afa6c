import type { InboxItem } from "#shared/contract/cards.ts";
import type { CommandOutput, EngineArguments, EngineCommandName } from "#shared/contract/commands.ts";
import type { HostEvent, RepositoryState } from "#shared/contract/events.ts";
import type { Settings } from "#shared/contract/settings.ts";
import type { RunSummary, RunView } from "#shared/contract/views/run.ts";
import type { Landed, LandingEvent } from "#shared/domain/landing/landing-events.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import type { RunTimeline } from "#shared/domain/timeline/timeline.ts";
import type { Wire } from "#shared/domain/worker/agent-choice.ts";
import type { RunHead } from "#shared/run/view.ts";
import type { Config } from "../config/config-interface.ts";
import type { Forges } from "../forge/connect.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import type { openJournal } from "../journal/journal.ts";
import type { ModelDriver } from "../model/driver-interface.ts";
import type { Upstream } from "../model/gateway/gateway-interface.ts";
import type { ConnectedMachines } from "../places/host/connected-machines.ts";
import type { Sandbox } from "../tools/tool-interface.ts";

/** Everything that may be done to one open repository. One engine per repository and host. */
export interface Engine {
  /** What a newly connected client needs. */
  state(): EngineState;
  /** The view of all runs, newest first. */
  runs(): EngineState["runs"];
  /** What a window that connects now is sent of the runs; the updates that follow begin where these end. */
  snapshots(): Pick<RepositoryState, "runs" | "run">;
  /** The runs of the snapshots in a few words. */
  heads(): readonly RunHead[];
  inbox(): EngineState["inbox"];
  /** Whether a run or background work is unfinished: closing would interrupt it. */
  hasWork(): boolean;
  /** Called with every change of that state, in order. Answers with a function that stops it. */
  listen(listener: (event: EngineEvent) => void): () => void;
  /**
   * Executes a user's command. Edits to the graph take the same path as agents' work.
   * @param name a row of `contract/commands.ts`, with its input and output
   */
  execute<Name extends EngineCommandName>(
    name: Name,
    ...input: EngineArguments<Name>
  ): Promise<CommandOutput<Name>>;
  /** The same for a named person, where several share the host: the run's record says who. */
  executeFor<Name extends EngineCommandName>(
    by: string | undefined,
    name: Name,
    ...input: EngineArguments<Name>
  ): Promise<CommandOutput<Name>>;
  /** Saves and stops all work in order; it resumes at the next start. */
  close(): Promise<void>;
}

export type EngineEvent = Extract<
  HostEvent,
  { kind: "run" | "run-update" | "inbox" | "conversation" | "notice" }
>;

export interface EngineState {
  /** The run that is shown by default: the newest active one, else the newest. */
  readonly run: RunView | null;
  readonly timeline: RunTimeline | null;
  /** Other active runs, and those that ended since the newest one began. */
  readonly otherRuns: readonly { readonly run: RunView; readonly timeline: RunTimeline }[];
  readonly runs: readonly RunSummary[];
  readonly inbox: readonly InboxItem[];
  readonly messages: readonly MessageView[];
}

export interface EngineOptions {
  readonly repository: Repository;
  /** Outside the repository: journal, workspaces, logs of this repository. */
  readonly stateFolder: string;
  /** Shared by all repositories of this user, for what only one of them may have. Default: the state folder. */
  readonly sharedFolder?: string;
  readonly settings: () => Settings;
  /**
   * Answers with the driver for a run: the scripted one for a rehearsal, else the real one with the key of the variable
   * that the settings name. Rejects with what is missing and the remedy.
   */
  readonly driverFor: (run: { rehearsal: string | null; apiKeyEnv: string }) => Promise<ModelDriver>;
  /**
   * Where the gateway of an agent of another make sends its requests, with the key. Rejects with what is missing and the
   * remedy. Default: there is none, so that no such agent can work.
   */
  readonly endpointFor?: (agent: {
    readonly wire: Wire;
    /** Base address of the provider; null: its own. */
    readonly endpoint: string | null;
    readonly apiKeyEnv: string;
  }) => Promise<Upstream>;
  /** Accounts on forges, for pull requests. Default: there is none, so that results land on local branches. */
  readonly forges?: Forges;
  /** Machines that offer places. Default: there are none, and agents work on this machine. */
  readonly places?: ConnectedMachines;
  /** The sandbox by the settings that are in force; a file with a mistake must not take a protection away. */
  readonly sandbox: (config: Config) => Promise<Sandbox>;
  /** Hears the settings that are in force, at the start and whenever they change. */
  readonly inForce?: (config: Config) => void;
  /** Secrets that agents must never print or receive, in addition to the environment's: the key in use. */
  readonly secrets?: () => readonly string[];
  /**
   * Stores the user's permission for commands without a sandbox; `sandbox()` then returns an unsandboxed one.
   */
  readonly allowUnsandboxed?: () => Promise<void>;
  /** Whether runs resume automatically. Default: true; false for a command that makes one edit and exits. */
  readonly autostart?: boolean;
  /** The time of day, for what is written down. */
  readonly now: () => number;
  /** Milliseconds that never jump, for how long something takes. Default: `performance.now`. */
  readonly monotonic?: () => number;
  readonly newId: () => string;
  /** Lets tests wrap the journal. */
  readonly openJournal?: typeof openJournal;
}

type LandingFate = Extract<LandingEvent, { kind: "LandingUndone" | "LandingRedone" | "LandingReverted" }>;

/** What the runs of a repository say of their landings, and the branches that they landed on. */
export interface Landings {
  /** What this run landed, if it did. */
  of(run: string): Landed | null;
  /** Says once that a landing was undone, restored or reverted. */
  tell(run: string, event: LandingFate): void;
  /** Reads the branches, and updates the runs whose landing changed. */
  follow(): Promise<void>;
  /**
   * The same after a write of ours. A branch that a landing created and that this write deleted counts as
   * undone; a later deletion by the user does not.
   */
  during<T>(write: () => Promise<T>): Promise<T>;
}

/*
 * The protocol between the engine and its models. The names are part of the prompts and of the rehearsal's script.
 *
 * Every system prompt ends with a line `Hox-Role: <name>` (`O-A-1`, `O-B-1`, `agent-1`, `integrator`,
 * `integrator-b-1`, `validator-1`).
 *
 * Each orchestrator keeps one conversation for the whole run. Events reach it as user messages that begin with a line
 * `[EVENT name]`; it answers each with exactly one tool: `answers` of the capabilities' orchestrator tools lists which. A tool
 * with `execute` (a decision, more tasks, a suggestion) is executed first; then the event is put again.
 *
 * An agent starts every iteration with a fresh conversation: `[TASK] …` with the sections Task, Contracts, Decisions,
 * Messages, Conflicts, Failing before the run, Last checks, Learned patterns. It ends an iteration with `report_done {summary}`,
 * `align_request {question, options[], blocking}` or by ending its turn (next iteration). After a mutation conflict its
 * next prompt has a section `## Conflict with a decision` that names the decision and the files with jj's markers.
 * The integrator is an agent whose task is the integration change (its prompt starts `[INTEGRATE]`).
 * A validator gets `[VALIDATE]` with its seat's evidence, read-only file tools and `run_command` in a fresh checkout of
 * the commit, and ends with `cast_vote {vote: approve|reject|abstain, commit, reason}`.
 */
