import { z } from "zod";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { Conversation, ConversationOptions, ResumeToken, TurnEnd } from "../agent/agent-interface.ts";
import { putBack } from "../tools/protected-files.ts";
import { createRedactor, redactTexts, secretsOf } from "../tools/redact.ts";
import type { ToolSignal } from "../tools/tool-interface.ts";
import type { AcpDriverOptions } from "./acp-options.ts";
import { endsTurn } from "./mcp-endpoint.ts";
import { answerPermission } from "./requested-call.ts";
import type { PermissionEvent } from "./runner/runner-protocol.ts";
import { Transcript } from "./transcript.ts";
import { NotOpened, openingError, type TurnOutcome, turnEnd } from "./turn-end.ts";
import type { SessionListener, WorkerAgent } from "./worker-agent.ts";

interface Signalled {
  readonly signal: ToolSignal;
  readonly callId: string;
}

/** One prompt, from its sending to its answer. */
interface Turn {
  outcome: Pick<TurnOutcome, "stopReason" | "failure" | "usage"> | null;
  /** Why Hox ends it. */
  interrupted: "gate" | "aborted" | "signal" | null;
  /** What it said last before it ended: more may come after that. */
  text: string;
}

const identity = z.object({ agent: z.string(), version: z.string(), sessionId: z.string() });

/** A worker is left after its second loss. */
const maxOpenings = 4;

const defaultSignalMs = 10_000;
const defaultKillMs = 20_000;

const afterPause = "Your turn was interrupted. Continue where you stopped.";
const afterEnd =
  "Your process ended and was started again. Continue where you stopped, and look at the files first: the last calls may or may not have had their effect.";

/** One session of an agent. */
export class AcpConversation implements Conversation, SessionListener {
  readonly #worker: WorkerAgent;
  readonly #driver: string;
  readonly #acp: AcpDriverOptions;
  readonly #options: ConversationOptions;
  readonly #redact: (text: string) => string;
  #session: string | null = null;
  /** What is still to be sent before the next message. */
  #owed: string[] = [];
  #lastPrompt: string | null = null;
  #transcript: Transcript | null = null;
  #turn: Turn | null = null;
  #prompts = 0;
  /** What the agent has told the engine; kept until the next prompt. */
  #recorded: Signalled | null = null;
  #isReported = false;
  /** Its last message, where it ended its turn and nothing came after. */
  #ended: string | null = null;
  /** Questions that the agent does not wait for. */
  #questions: Signalled[] = [];
  #failure: { readonly error: unknown } | null = null;
  /** Whether what comes outside of a turn needs no word. */
  #hasToldLate = true;
  #wasCancelled = false;
  /** Whether its turn may be one that an earlier host began. */
  #isAdopted: boolean;
  #readying: Promise<void> | null = null;
  #timers: NodeJS.Timeout[] = [];
  #wake: () => void = () => undefined;

  constructor(
    worker: WorkerAgent,
    driver: string,
    acp: AcpDriverOptions,
    options: ConversationOptions,
    token: ResumeToken | null,
  ) {
    this.#worker = worker;
    this.#driver = driver;
    this.#acp = acp;
    this.#options = options;
    this.#redact = options.toolContext.redact ?? createRedactor(secretsOf(process.env)).redact;
    this.#isAdopted = token !== null;
    const [stored, end, prompt] = token?.parts ?? [];
    if (stored !== undefined) this.#session = identity.parse(JSON.parse(stored)).sessionId;
    if (end !== undefined)
      [this.#recorded, this.#ended] = JSON.parse(end) as [Signalled | null, string | null];
    if (prompt !== undefined) this.#lastPrompt = JSON.parse(prompt) as string | null;
  }

  get token(): ResumeToken {
    const { version } = this.#worker;
    const own = { agent: this.#acp.name, version, sessionId: this.#session };
    const parts = [own, [this.#recorded, this.#ended], this.#lastPrompt];
    return {
      driver: this.#driver,
      parts: this.#session === null ? [] : parts.map((part) => JSON.stringify(part)),
    };
  }

  /** What an agent of another make has read is not known. */
  readFiles(): ReadonlyMap<string, string> {
    return new Map();
  }

  fork(): Conversation {
    throw new Error(`${this.#acp.dialect.label} can't copy a conversation. Start a new one instead.`);
  }

  gate(): "pause" | "budget" | null {
    return this.#options.gate();
  }

  async run(prompt: PromptText | null, signal: AbortSignal): Promise<TurnEnd> {
    // After a question that does not block, its turn is still running and has to be ended.
    const isRunning = this.#turn !== null;
    if (signal.aborted && !isRunning) return { kind: "aborted" };
    if (prompt === null && this.#recorded !== null && !this.#isReported && !isRunning) return this.#report();
    const gate = this.gate();
    if (gate !== null && !isRunning) return { kind: "gate", gate };
    if (gate !== null) this.#interrupt("gate");
    this.#offerTools(signal);
    try {
      return await this.#converse(prompt, signal);
    } catch (error) {
      if (this.#turn !== null) this.#closeTurn();
      if (this.#failure !== null) throw this.#failure.error;
      return { kind: "failed", error: openingError(error, this.#acp.dialect) };
    } finally {
      if (this.#turn === null) this.#acp.mcp?.withdraw();
    }
  }

  async #converse(prompt: PromptText | null, signal: AbortSignal): Promise<TurnEnd> {
    if (this.#turn === null) await this.#acp.beforeTurn?.();
    const isReady = await orAborted(this.#ready(), signal);
    if (!isReady) return { kind: "aborted" };
    const isLeft = this.#isAdopted && this.#turn !== null;
    this.#isAdopted = false;
    // Left by an earlier host, or since a question.
    if (prompt !== null && this.#turn !== null) {
      this.#questions = [];
      this.#interrupt("aborted");
      await this.#untilOver(signal);
      this.#closeTurn();
    }
    if (this.#turn === null && (prompt === null || this.#wasCancelled)) this.#remind();
    if (prompt !== null) this.#tell(prompt);
    else if (this.#turn === null && this.#ended !== null) return { kind: "ended", text: this.#ended };
    if (this.#turn === null) await this.#send(prompt ?? afterPause);
    let turn = await this.#untilOver(signal);
    // Without its host an agent has no model.
    const failure = turn !== null && (isBroken(turn) || isLeft) ? turn.outcome?.failure : null;
    if (failure && this.#canResume(signal)) {
      const { label } = this.#acp.dialect;
      const text = `${label} ended unexpectedly (${failure.message}). Hox resumes its session.`;
      this.#emit({ kind: "notice", text });
      this.#closeTurn();
      await this.#ready();
      this.#remind();
      await this.#send(afterEnd);
      turn = await this.#untilOver(signal);
    }
    const question = this.#questions.shift();
    if (question) return { kind: "signal", ...question, text: this.#transcript?.lastText ?? "" };
    return turn === null ? { kind: "aborted" } : this.#end(turn, signal);
  }

  /** Has the session open, in the runner that is there or in a new one. */
  #ready(): Promise<void> {
    this.#readying ??= this.#openWhereItIs().finally(() => {
      this.#readying = null;
    });
    return this.#readying;
  }

  /** Another machine may be gone at any moment: then it is opened where the files are next. */
  async #openWhereItIs(): Promise<void> {
    for (let opening = 1; ; opening += 1)
      try {
        return await this.#openSession();
      } catch (error) {
        if (error instanceof NotOpened || !this.#worker.isAway || opening === maxOpenings) throw error;
      }
  }

  async #openSession(): Promise<void> {
    if (this.#session !== null) this.#worker.listen(this.#session, this);
    await this.#worker.connect();
    // A turn that was left may have ended with its agent: then it is told first.
    if (this.#session !== null && (this.#worker.session === this.#session || this.#turn !== null)) return;
    const resume = this.#session;
    try {
      await this.#openWith(resume);
    } catch (error) {
      if (resume === null || !(error instanceof NotOpened) || this.#lastPrompt === null) throw error;
      const { label } = this.#acp.dialect;
      const text = `${label} could not resume its session (${error.message}). Hox starts a new one with the same task.`;
      this.#emit({ kind: "notice", text });
      this.#owed = [this.#lastPrompt];
      await this.#openWith(null);
    }
  }

  async #openWith(resume: string | null): Promise<void> {
    const { dialect, mcp, projectSettings = [] } = this.#acp;
    const { model, maxTurns, system } = this.#options;
    const meta = dialect.sessionMeta?.({ model, maxTurns, projectSettings });
    const name = dialect.modelName === undefined ? model : dialect.modelName(model);
    this.#session = await this.#worker.open(
      {
        ...{ resume, system, mcpToken: mcp?.token ?? null },
        ...(name === null ? {} : { model: name }),
        ...(meta ? { meta } : {}),
        ...(dialect.mode ? { mode: dialect.mode } : {}),
      },
      this,
    );
    if (resume === null && !this.#worker.capabilities?.system) this.#owed.unshift(system);
    this.#store();
  }

  /** Where its turn is gone from its history, so is its task. */
  #remind(): void {
    const isForgotten = this.#worker.takeBehind() || this.#acp.dialect.forgetsCancelled;
    if (!isForgotten || this.#owed.length > 0 || this.#lastPrompt === null) return;
    const isSystemKept = this.#worker.capabilities?.system ?? false;
    this.#owed = [...(isSystemKept ? [] : [this.#options.system]), this.#lastPrompt];
  }

  #tell(prompt: PromptText): void {
    const text = this.#redact(prompt);
    this.#prompts += 1;
    this.#lastPrompt = text;
    [this.#recorded, this.#isReported, this.#ended] = [null, false, null];
    this.#emit({ kind: "prompt", text, iteration: this.#options.iteration ?? this.#prompts });
    this.#store();
  }

  async #send(text: string): Promise<void> {
    const losses = this.#worker.takeLosses();
    const whole = this.#redact([...this.#owed.splice(0), ...losses, text].join("\n\n"));
    [this.#hasToldLate, this.#wasCancelled] = [false, false];
    this.#transcript?.begin();
    this.#beginTurn();
    await this.#worker.prompt(this.#session ?? "", whole);
  }

  /** @returns the turn once it has been answered; null where a question came before */
  async #untilOver(signal: AbortSignal): Promise<Turn | null> {
    const stop = (): void => this.#interrupt("aborted");
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      for (;;) {
        if (this.#failure !== null) throw this.#failure.error;
        if (this.#questions.length > 0) return null;
        if (this.#turn === null || this.#turn.outcome !== null) return this.#turn;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends the turn; a runner that does not hear it is ended. */
  #interrupt(why: NonNullable<Turn["interrupted"]>): void {
    const turn = this.#turn;
    if (turn === null || turn.outcome !== null || turn.interrupted !== null) return;
    turn.interrupted = why;
    this.#worker.cancel();
    this.#after(this.#acp.killMs ?? defaultKillMs, () => {
      this.#worker.kill().catch((error: unknown) => this.#fail(error));
    });
  }

  /** While the turn lasts. */
  #after(ms: number, work: () => void): void {
    this.#timers.push(setTimeout(work, ms));
  }

  async #end(turn: Turn, signal: AbortSignal): Promise<TurnEnd> {
    this.#closeTurn();
    await this.#acp.gateway?.idle();
    const restored = putBack(await this.#worker.restoreProtected());
    for (const text of restored) this.#emit({ kind: "notice", text });
    this.#owed.push(...restored);
    await this.#acp.afterTurn?.();
    if (this.#failure !== null) throw this.#failure.error;
    this.#count(turn);
    const end = this.#endOf(turn, signal);
    this.#ended = end.kind === "ended" ? end.text : null;
    this.#store();
    return end;
  }

  #endOf({ outcome, interrupted, text }: Turn, signal: AbortSignal): TurnEnd {
    if (this.#recorded !== null) return this.#report();
    if (signal.aborted) return { kind: "aborted" };
    const gate = this.gate();
    // Also where the gateway refused a request, which the agent takes for an error.
    if (gate !== null && (interrupted !== null || outcome?.failure)) return { kind: "gate", gate };
    if (interrupted === "gate") return { kind: "gate", gate: gate ?? "pause" };
    return turnEnd(outcome ?? { stopReason: null, failure: null }, text, this.#acp.dialect);
  }

  #report(): TurnEnd {
    this.#isReported = true;
    const { signal, callId } = this.#recorded as Signalled;
    return { kind: "signal", signal, callId, text: this.#transcript?.lastText ?? "" };
  }

  #count({ outcome, interrupted }: Turn): void {
    const { usage: counted, dialect } = this.#acp;
    if (typeof counted === "string" || outcome === null || outcome.failure) return;
    const usage = dialect.readUsage(outcome.usage);
    const { model } = this.#options;
    if (!interrupted) this.#worker.reportsUsage = usage !== null;
    if (usage === null) {
      const text = `${dialect.label} did not report what it used, so this turn is bounded by time and turns only.`;
      this.#emit({ kind: "notice", text });
      return;
    }
    const microDollars = counted.price(usage, model);
    this.#options.onSpent({ usage, microDollars, requests: 1 }, model);
    this.#emit({ kind: "usage", usage, microDollars, model });
  }

  #canResume(signal: AbortSignal): boolean {
    const turn = this.#turn;
    if (turn === null || turn.interrupted !== null || this.#recorded !== null || signal.aborted) return false;
    if (this.gate() !== null) return false;
    // Where a machine is gone, a new session does.
    return this.#worker.isAway || (this.#worker.capabilities?.resume ?? "none") !== "none";
  }

  #offerTools(signal: AbortSignal): void {
    const { tools, toolContext: context } = this.#options;
    this.#acp.mcp?.offer({
      tools,
      context: { ...context, signal, redact: this.#redact },
      onEntry: (entry) => {
        this.#transcript?.flush();
        this.#emit(entry);
      },
      onSignal: (made, callId) => this.#take({ signal: made, callId }),
    });
  }

  #take(made: Signalled): string | null {
    if (this.#recorded !== null)
      return "Not taken: another one came first in this turn, and only one can. End your turn now.";
    if (endsTurn(made.signal)) {
      this.#recorded = made;
      this.#isReported = false;
      this.#store();
      this.#after(this.#acp.signalMs ?? defaultSignalMs, () => this.#interrupt("signal"));
    } else this.#questions.push(made);
    this.#wake();
    return null;
  }

  #transcripts(): Transcript {
    this.#transcript ??= new Transcript({
      view: () => this.#worker.view,
      onEntry: (entry) => this.#emit(entry),
      redact: this.#redact,
      redactor: this.#acp.hidden,
      ownTools: this.#options.tools.map(({ name }) => name),
      monotonic: this.#options.monotonic ?? (() => performance.now()),
    });
    return this.#transcript;
  }

  onUpdate(update: unknown): void {
    const added = this.#transcripts().add(update);
    if (added !== null && (this.#turn === null || this.#turn.outcome !== null)) this.#tellLate();
    if (added === "call-ended" && this.gate() !== null) this.#interrupt("gate");
  }

  /** Work after the end of a turn belongs to no iteration: it is shown, and named. */
  #tellLate(): void {
    if (this.#hasToldLate) return;
    this.#hasToldLate = true;
    this.#emit({ kind: "notice", text: `${this.#acp.dialect.label} continued after the end of its turn.` });
  }

  onBatch(): void {
    this.#transcript?.pass();
  }

  onRunningTurn(): void {
    if (this.#turn === null) this.#beginTurn();
  }

  #closeTurn(): void {
    this.#turn = null;
    this.#acp.gateway?.closeTurn();
  }

  #beginTurn(): void {
    this.#turn = { outcome: null, interrupted: null, text: "" };
    this.#acp.gateway?.openTurn();
  }

  onTurn({ stopReason, failure, usage }: TurnOutcome): void {
    this.onRunningTurn();
    this.#finish({ stopReason, failure, usage });
  }

  #finish(outcome: NonNullable<Turn["outcome"]>): void {
    this.#transcript?.end();
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
    const turn = this.#turn;
    if (turn?.outcome === null) {
      turn.outcome = outcome;
      turn.text = this.#transcript?.lastText ?? "";
    }
    this.#wasCancelled = Boolean(this.#turn?.interrupted);
    this.#wake();
  }

  async onPermission(request: PermissionEvent, signal: AbortSignal): Promise<string | null> {
    const { permissions } = this.#acp;
    const { option, notice } = await answerPermission(
      redactTexts(request, this.#redact),
      () => this.#transcripts().asked(request.toolCall),
      permissions,
      this.#options.tools,
      signal,
    );
    this.#transcript?.flush();
    this.#emit({ kind: "notice", text: notice });
    return option;
  }

  /** Because of what keeps it from its next request. */
  endTurn(): void {
    this.#interrupt("gate");
  }

  onNotice(text: string): void {
    this.#emit({ kind: "notice", text });
  }

  onClosed(): void {
    const failure = { code: null, message: "its runner has ended" };
    if (this.#turn !== null) this.#finish({ stopReason: null, failure, usage: null });
  }

  /** What the journal cannot take ends the conversation: it is thrown, and said again by `run`. */
  #emit(entry: ConversationEntry): void {
    this.#guard(() => this.#options.onEntry(redactTexts(entry, this.#redact)));
  }

  #store(): void {
    this.#guard(() => this.#options.onTurn?.(this.token));
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }
}

/** Whether an agent's process ended without an answer. */
const isBroken = ({ outcome }: Turn): boolean => outcome?.failure?.code === null;

/** @returns whether it came to its end before the signal */
async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  let stop = (): void => undefined;
  const aborted = new Promise<boolean>((resolve) => {
    stop = () => resolve(false);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work.then(() => true), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
