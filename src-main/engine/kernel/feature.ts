/**
 * A capability as the engine sees it: which work it wants, how that is done, what it imports from the graph,
 * and what it does at a run's start and end. Adding one takes a folder and a line in `features.ts`.
 *
 * `Context` is a run, or the part of one that the capability needs.
 */
import type { AnswerTo, CardAnswer, InboxItem, InboxKind, ItemOf } from "#shared/contract/cards.ts";
import type { UndoneOperation } from "#shared/contract/commands/graph.ts";
import type { EngineCommandName, EngineCommands } from "#shared/contract/commands.ts";
import type { StageAction } from "#shared/domain/run/stage-state.ts";
import type { Operation } from "#shared/graph/change.ts";
import type { Tool } from "../../tools/tool-interface.ts";
import type { ExecutedCall, OrchestratorEvent, Outcome } from "../orchestrator-protocol.ts";
import type { AgentWork } from "./agent-work.ts";
import type { CommandScope } from "./commands.ts";

/** Work in addition to the stages, as plain data: `id` is stable for the same piece of work. */
export interface Action {
  readonly id: string;
}

/** How a failure is shown to the user. */
export interface Failure {
  /** What failed, for the user: "A question could not be answered". */
  readonly title: string;
  /** The worker that it is about, whose card it then is. Default: none. */
  readonly worker?: string | null;
  /** On a card that waits for a word. Default: as a notice, and it is tried again later. */
  readonly isAsked?: boolean;
  /** Under what its card is kept. Default: the action's id. */
  readonly of?: string;
}

export interface BackgroundWork<Context, A extends Action> {
  /** Pure: the wanted work. An action whose work is done must not be in it. */
  readonly desired: (context: Context) => readonly A[];
  /** Safe to repeat. Ends by what takes the action off the list. */
  readonly perform: (context: Context, action: A) => Promise<void>;
  readonly failure: (action: A, context: Context) => Failure;
  /** Also while the run is paused: for the user's requests. */
  readonly runsWhilePaused?: boolean;
}

/** One action and all that is needed to carry it out, whatever else it knows. */
export interface Wanted<Context> extends Action {
  readonly perform: (context: Context) => Promise<void>;
  readonly failure: Failure;
}

/** A capability's work in the background; what kind of action it is made of is its own business. */
export interface Background<Context> {
  readonly runsWhilePaused: boolean;
  readonly wanted: (context: Context) => readonly Wanted<Context>[];
}

export const background = <Context, A extends Action>(
  work: BackgroundWork<Context, A>,
): Background<Context> => ({
  runsWhilePaused: work.runsWhilePaused ?? false,
  wanted: (context) =>
    work.desired(context).map((action) => ({
      id: action.id,
      perform: (given) => work.perform(given, action),
      failure: work.failure(action, context),
    })),
});

/** An action of an orchestrator's current stage. */
export interface StageWork<Kind extends StageAction["kind"] = StageAction["kind"]> {
  /** Unique in the run: the action's own id, with its orchestrator's name before it below the root. */
  readonly id: string;
  readonly orchestrator: string;
  readonly action: StageAction & { readonly kind: Kind };
}

/** Handles a kind of action: its event changes the stage. */
export interface StageActionHandler<Context, Kind extends StageAction["kind"]> {
  /** The message for the user if it fails. */
  readonly title: string;
  /** @param signal aborts when the action is no longer wanted */
  perform(context: Context, work: StageWork<Kind>, signal: AbortSignal): Promise<void>;
}

/** Reported when it happens, never pending. */
export type PendingKind = Exclude<StageAction["kind"], "LogActivity">;

export type StageActions<Context> = { readonly [Kind in PendingKind]: StageActionHandler<Context, Kind> };

/** Imports the user's jj edits from changes that were just read. Starts no process if there are none. */
type GraphReader = () => void | Promise<void>;

/** What is looked at now and then, because nothing moves when it happens. */
export interface Tick<Context> {
  readonly name: string;
  readonly everyMs: (context: Context) => number;
  readonly look: (context: Context) => void;
}

/** A tool of an orchestrator's. */
export interface OrchestratorTool<Context> {
  readonly name: string;
  /** Events that it answers, each with its place among their answers: the first is what the event is about. */
  readonly answers?: Partial<Readonly<Record<OrchestratorEvent, number>>>;
  /** Whether this orchestrator has it. Default: every one. */
  readonly isFor?: (orchestrator: string) => boolean;
  /**
   * Creates it for one orchestrator; null: not useful now. Omitted for one of the common file tools.
   * @param key of the prompt that is answered with it
   */
  readonly make?: (context: Context, orchestrator: string, key: string) => Tool | null;
  /** It only reads or notifies, and fits every event. */
  readonly isAlwaysAllowed?: boolean;
  /** Also offered while planning. */
  readonly isForPlanning?: boolean;
  /** Left out where calling it answers the event. Safe to repeat. */
  readonly execute?: (context: Context, asked: ExecutedCall) => Promise<Outcome>;
}

/**
 * "again" if the agent retries, now or after a pause; "over" if the task has no agent any more; "open" if the
 * answer could not be applied, so that the problem remains.
 */
export type TroubleEnd = "again" | "over" | "open";

export interface Feature<Context> {
  readonly name: string;
  /** Handlers of the user's commands. */
  readonly commands?: (scope: CommandScope<Context>) => Partial<EngineCommands<EngineCommandName, Context>>;
  /** Undoes an operation that it made, where that takes more than undoing it on the graph; null: it made another one. */
  readonly undoOperation?: (
    scope: CommandScope<Context>,
    operation: Operation,
  ) => Promise<UndoneOperation | null>;
  /** Checks of answers to cards, in addition to the card's own. */
  readonly cardChecks?: CardChecks<Context>;
  readonly orchestratorTools?: readonly OrchestratorTool<Context>[];
  readonly agents?: AgentWork<Context>;
  readonly stageActions?: Partial<StageActions<Context>>;
  readonly background?: readonly Background<Context>[];
  readonly ticks?: readonly Tick<Context>[];
  /** Asked before the graph is read, for what has to be known from before; the reader is called with `changes` new. */
  readonly onGraph?: (context: Context) => GraphReader;
  /** Brings what is shown into line with the state. Called often: cheap, and safe to repeat. */
  readonly show?: (context: Context) => void;
  /** Applies the user's answer about one agent's problem with its task; idempotent. @param card its id */
  readonly answerTrouble?: (
    context: Context,
    worker: string,
    card: string,
    answer: AnswerTo<"trouble">,
  ) => Promise<TroubleEnd>;
  /** Before what is pending begins again after a start. */
  readonly recover?: (context: Context) => Promise<void>;
  /** A run is over. @param leaving aborts when the app closes */
  readonly atRunEnd?: (context: Context, leaving: AbortSignal) => Promise<void>;
}

interface CardCheck<Context, Item, Answer> {
  /** Called before an answer counts; throws what is wrong. */
  check(context: Context, item: Item, answer: Answer): Promise<void> | void;
}

/**
 * Capabilities' checks of answers, in addition to the card's own (`contract/cards.ts`).
 *
 * By kind of card; a kind without a row has nothing that only the run can say.
 */
type CardChecks<Context> = {
  readonly [Kind in InboxKind]?: CardCheck<Context, ItemOf<Kind>, AnswerTo<Kind>>["check"];
};

/** @returns what the inbox asks before it takes an answer: all that have something to say of its kind */
export const checkedBy =
  <Context>(all: readonly CardChecks<Context>[], context: Context) =>
  async (item: InboxItem, answer: CardAnswer): Promise<void> => {
    for (const checks of all) {
      const check: CardCheck<Context, InboxItem, CardAnswer>["check"] | undefined = checks[item.kind];
      await check?.(context, item, answer);
    }
  };
