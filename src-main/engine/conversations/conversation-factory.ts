import { type StartRole, startRoles } from "#shared/contract/commands/start.ts";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { cachedShare } from "#shared/domain/spending/usage.ts";
import type { WorkerRole } from "#shared/domain/worker/worker-record.ts";
import type {
  Conversation,
  ConversationDriver,
  ConversationOptions,
  ResumeToken,
  TurnEnd,
} from "../../agent/agent-interface.ts";
import { modelConversations } from "../../agent/conversation.ts";
import { messageDriver } from "../../agent/message-history.ts";
import type { ModelDriver } from "../../model/driver-interface.ts";
import { priceOf } from "../../model/price-table.ts";
import { createRedactor, secretsOf } from "../../tools/redact.ts";
import type { Tool, ToolContext } from "../../tools/tool-interface.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { Run, RunReader } from "../ports.ts";
import { type AnswerSettings, roleSettings } from "../role-settings.ts";
import { lenderOf } from "../workers/inherited-context.ts";
import { environmentOf } from "../workspaces/port-leases.ts";
import type { CheckoutHandle, FileRules, WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { externalAgent, externalConversations } from "./external-agents.ts";

/** Starts a conversation, or resumes the one of `token`. */
export type StartConversation = (begin?: {
  readonly token?: ResumeToken | null;
  readonly iteration?: number | undefined;
  readonly onTurn?: ConversationOptions["onTurn"];
}) => Conversation;

/**
 * Creates a worker's conversations, with all entries and costs journalled as they happen. What may fail (no
 * key, no folder) fails here, so that starting a conversation cannot.
 */
export async function conversationFactory(
  run: Run,
  worker: string,
  options: {
    readonly system: string;
    readonly tools: readonly Tool[];
    /** Where its tools work: a checkout, or a context that was made from one. */
    readonly place?: CheckoutHandle;
    /** Where an agent of another make works, if the worker's is one. Absent: Hox's own answers. */
    readonly workspace?: WorkspaceHandle;
    readonly context?: ToolContext;
    readonly gate: ConversationOptions["gate"];
    /** Default: the worker's. */
    readonly model?: string;
    /** Rules for its file tools in addition to the configuration. */
    readonly fileRules?: FileRules;
    /** Default: as configured. */
    readonly maxTurns?: number;
    /** Default: its role's. */
    readonly effort?: ConversationOptions["effort"];
    /** Default: into its transcript. */
    readonly onEntry?: ConversationOptions["onEntry"];
    readonly keeps?: ConversationOptions["keeps"];
    readonly cachedFor?: ConversationOptions["cachedFor"];
  },
): Promise<StartConversation> {
  const { place, workspace } = options;
  const choice = options.model ?? modelOf(run, worker);
  const other = workspace === undefined ? null : externalChoice(run, worker);
  const begin =
    other === null || workspace === undefined
      ? withModel(await run.driver())
      : withAgent(await externalConversations(run, worker, workspace, other));
  const own = externalAgent(run.config, choice) === null ? choice : run.model;
  const context = options.context ?? (place ? toolContext(run, worker, place, options.fileRules) : null);
  if (context === null) throw new Error(`${worker} has no workspace.`);
  return ({ token = null, iteration, onTurn } = {}) => {
    const all: ConversationOptions = {
      model: other === null ? own : (other.model ?? ""),
      system: options.system,
      tools: options.tools,
      toolContext: context,
      requester: `${run.id}/${worker}`,
      ...answersOf(run, run.worker(worker).record.role),
      ...("effort" in options ? { effort: options.effort } : {}),
      ...(options.keeps ? { keeps: options.keeps } : {}),
      ...(options.cachedFor ? { cachedFor: options.cachedFor } : {}),
      maxTurns: options.maxTurns ?? run.config.loopDefaults.maxTurns,
      gate: options.gate,
      onEntry: options.onEntry ?? ((entry) => run.appendTranscript(worker, entry)),
      onSpent: (spent, model) => run.spend(worker, spent, model),
      onMeasured: (measured) => run.metrics.measured(worker, measured),
      monotonic: run.monotonic,
      ...(onTurn ? { onTurn } : {}),
      ...(iteration === undefined ? {} : { iteration }),
    };
    return begin(token, all);
  };
}

type Begin = (token: ResumeToken | null, options: ConversationOptions) => Conversation;

const withModel =
  (model: ModelDriver): Begin =>
  (token, options) =>
    token === null
      ? conversationDriver(model).start(options)
      : conversationDriver(model, token.driver).resume(token, options);

/** What somebody else began, an agent of another make cannot continue. */
const withAgent =
  (driver: ConversationDriver): Begin =>
  (token, options) =>
    token?.driver === driver.name ? driver.resume(token, options) : driver.start(options);

/** The agent of another make that does a worker's work; null: Hox's own. Only agents with a task can be others. */
export const externalChoice = (run: RunReader, worker: string): ReturnType<typeof externalAgent> =>
  run.worker(worker).record.role === "agent" ? externalAgent(run.config, ownModel(run, worker)) : null;

/** By the names in their tokens. */
const drivers: ReadonlyMap<string, (model: ModelDriver) => ConversationDriver> = new Map([
  [messageDriver, (driver: ModelDriver) => modelConversations({ driver, price: priceOf })],
]);

/**
 * The kinds of conversations that there are. A new one is a line here.
 *
 * @param name of who holds the conversation; default: Hox itself
 * @throws EngineRefusal for one that this version does not know
 */
export function conversationDriver(model: ModelDriver, name = messageDriver): ConversationDriver {
  const make = drivers.get(name);
  if (make === undefined)
    throw new EngineRefusal(
      `A conversation uses the driver "${name}", which this version of Hox does not have. Available: ${[...drivers.keys()].join(", ")}.`,
      "Use the version of Hox that started it, or reassign the task to another agent.",
    );
  return make(model);
}

/**
 * A worker that uses another one's conversation uses its model too, because the cache belongs to that model.
 */
export const modelOf = (run: RunReader, worker: string): string => {
  const lender = run.worker(worker).record.model ? null : lenderOf(run, worker);
  return lender === null ? ownModel(run, worker) : modelOf(run, lender);
};

/** The model of its separate conversations. */
export const ownModel = (run: RunReader, worker: string): string => {
  const { role, model } = run.worker(worker).record;
  return model || roleModel(run, role, worker);
};

/** Who works on tasks that have no agent of their own. */
export const agentModel = (run: RunReader): string => roleModel(run, "agent", "");

/** The model of a role: the user's choice for this run, else the configuration's, else the run's. */
const roleModel = (run: RunReader, role: WorkerRole, worker: string): string =>
  (isStartRole(role) && run.row.input.models[role]) ||
  (roleSettings[role].model(run.config, worker) ?? run.model);

/** How a role's model answers, with the effort that the user chose for this run. */
function answersOf(run: RunReader, role: WorkerRole): AnswerSettings {
  const answers = roleSettings[role].answers(run.config);
  const effort = isStartRole(role) ? run.row.input.efforts[role] : undefined;
  return effort === undefined ? answers : { ...answers, effort };
}

const isStartRole = (role: WorkerRole): role is WorkerRole & StartRole =>
  startRoles.some((one) => one === role);

const toolContext = (
  run: Run,
  worker: string,
  place: CheckoutHandle,
  fileRules: FileRules = {},
): ToolContext => ({
  agent: worker,
  signal: run.runEnded.signal,
  files: place.files(fileRules),
  run: place.run,
  environment: environmentOf(run, worker),
  redact: redactorOf(run),
});

/** Hides what no worker may see: the key in use, and the secrets of the environment. */
function redactorOf(run: Run): (text: string) => string {
  const ofEnvironment = secretsOf(process.env);
  let key = "";
  let redactor = createRedactor(ofEnvironment);
  return (text) => {
    // A login may be renewed while a conversation lasts.
    const secrets = run.secrets();
    const now = secrets.join("\n");
    if (now !== key) [key, redactor] = [now, createRedactor([...ofEnvironment, ...secrets])];
    return redactor.redact(text);
  };
}

/** Why a conversation that ended without its tool is retried, for the user. */
export const describeTurnEnd = (end: TurnEnd): string => {
  switch (end.kind) {
    case "ended":
      return "it ended its turn without calling the required tool";
    case "turn-limit":
      return "it used up its turns without an answer";
    case "loop":
      return "it kept repeating the same calls";
    case "cut":
      return end.reason === "max_tokens"
        ? "its answer was too long"
        : "its conversation filled the model's window";
    case "context-share":
      return `its conversation filled ${end.percent} % of the model's window`;
    case "refused":
      return `it refused: ${end.text || "no reason given"}`;
    case "signal":
      return `it answered with ${end.signal.kind === "structured" ? end.signal.name : end.signal.kind}`;
    default:
      return end.kind;
  }
};

/**
 * How a worker speaks in its orchestrator's conversation: the same way, so that the cached prefix is kept.
 *
 * @param lender whose conversation it is
 */
export const inheritedConversation = (run: Run, worker: string, lender: string) => ({
  // Another effort would invalidate the cache.
  effort: answersOf(run, run.worker(lender).record.role).effort,
  onEntry(entry: ConversationEntry): void {
    run.appendTranscript(worker, entry);
    if (entry.kind === "usage" && run.worker(worker).record.inherits?.cachedShare === null)
      run.append({ kind: "InheritedContextRead", worker, cachedShare: cachedShare(entry.usage) });
  },
});

/**
 * The conversation that a worker is in the middle of, kept so that a pause, a failure or a crash costs none of it.
 */
interface OpenConversation {
  readonly key: string;
  readonly token: ResumeToken;
  /** Change ids of the messages that its prompt brought. */
  readonly delivered: readonly string[];
  /** As this process knows it; null when an earlier one began it, or the settings of its tools have changed. */
  readonly conversation: Conversation | null;
}

/** The conversation that was left open for exactly this, in this process or an earlier one. */
export function openConversation(run: Run, worker: string, key: string): OpenConversation | null {
  const { open } = run.worker(worker);
  const stored = run.journal.openConversation(run.id, worker);
  if (stored?.key !== key) return null;
  return open?.key === key && open.config === run.config
    ? { ...stored, token: open.conversation.token, conversation: open.conversation }
    : { ...stored, conversation: null };
}

/** Resumes a conversation that was left open: `run(null)` repeats no answered request. */
export function resumeConversation(
  run: Run,
  worker: string,
  left: OpenConversation,
  start: StartConversation,
  iteration?: number,
): Conversation {
  const { key, token, conversation } = left;
  const open =
    conversation ?? start({ token, iteration, onTurn: persistTurns(run, worker, key, token, () => []) });
  run.worker(worker).open = { key, conversation: open, config: run.config };
  return open;
}

/** Starts another conversation, which replaces the one before in the journal from its prompt on. */
export function startConversation(
  run: Run,
  worker: string,
  key: string,
  start: StartConversation,
  options: {
    /** What it knows already. */
    readonly history?: ResumeToken | null;
    readonly iteration?: number;
    readonly delivered?: () => readonly string[];
  } = {},
): Conversation {
  const { history = null, iteration, delivered = () => [] } = options;
  const onTurn = persistTurns(run, worker, key, null, delivered);
  const conversation = start({ token: history, iteration, onTurn });
  run.worker(worker).open = { key, conversation, config: run.config };
  return conversation;
}

/** The conversation that was left open for exactly this, or else a new one. */
export function openOrStart(
  run: Run,
  worker: string,
  key: string,
  start: StartConversation,
  options?: Parameters<typeof startConversation>[4],
): { readonly conversation: Conversation; readonly isResumed: boolean } {
  const left = openConversation(run, worker, key);
  return left
    ? { conversation: resumeConversation(run, worker, left, start), isResumed: true }
    : { conversation: startConversation(run, worker, key, start, options), isResumed: false };
}

/** Writes what is new and nothing else; `written` is what the journal holds, null when that is another conversation. */
function persistTurns(
  run: Run,
  worker: string,
  key: string,
  written: ResumeToken | null,
  delivered: () => readonly string[],
): (token: ResumeToken) => void {
  let known = written;
  return (token) => {
    if (known === null) run.journal.beginConversation(run.id, worker, { key, delivered: delivered(), token });
    else {
      const before = known.parts;
      run.journal.growConversation(
        run.id,
        worker,
        key,
        [...token.parts.entries()].filter(([place, part]) => before[place] !== part),
      );
    }
    known = token;
  };
}
