import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { type AboutAgent, aboutAgent, chooseSettings, type Opened, within } from "./agent-session.ts";
import type { Bridges } from "./bridge.ts";
import type { EventLog } from "./event-log.ts";
import type { AgentFailure, PermissionEvent, RunnerCommand, RunnerConfig } from "./runner-protocol.ts";

type Open = Extract<RunnerCommand, { kind: "open" }>;
type Prompt = Extract<RunnerCommand, { kind: "prompt" }>;

/** One process of the agent, with its connection. */
interface Live {
  readonly process: AgentProcess;
  readonly agent: acp.ClientConnection["agent"];
  readonly about: AboutAgent;
  readonly canClose: boolean;
}

/** The agent of one worker: its process, its session and its turn, whichever host looks at it. */
export class AgentClient {
  readonly #config: RunnerConfig;
  readonly #bridges: Bridges;
  readonly #log: EventLog;
  #live: Promise<Live> | null = null;
  /** Of the agent, from its start to its end. */
  #process: AgentProcess | null = null;
  /** How its last process ended. */
  #how: string | null = null;
  #about: AboutAgent | null = null;
  #session: string | null = null;
  /** A session that is replayed: what is said of it until its next prompt was said before. */
  #replayed: string | null = null;
  #replays = 0;
  #turn: { readonly id: string; readonly session: string } | null = null;
  #stopping: NodeJS.Timeout | undefined;
  readonly #permissions = new Map<string, { event: PermissionEvent; answer(option: string | null): void }>();

  constructor(config: RunnerConfig, bridges: Bridges, log: EventLog) {
    this.#config = config;
    this.#bridges = bridges;
    this.#log = log;
  }

  get about(): AboutAgent | null {
    return this.#about;
  }

  get session(): string | null {
    return this.#session;
  }

  get turn(): { readonly id: string; readonly session: string } | null {
    return this.#turn;
  }

  get permissions(): readonly PermissionEvent[] {
    return [...this.#permissions.values()].map(({ event }) => event);
  }

  /** Opens a session for what follows, and closes the one before. */
  async open(command: Open): Promise<void> {
    try {
      await within(this.#config.limits.startMs, () => this.#openSession(command));
    } catch (error) {
      if (!(error instanceof acp.RequestError)) this.#process?.stop();
      this.#log.add({ kind: "not-opened", id: command.id, failure: await this.#failureOf(error) });
    }
  }

  async #openSession({ id, resume, system, mcpToken, meta, mode, model }: Open): Promise<void> {
    const live = await this.#start();
    const { capabilities } = live.about;
    const before = this.#session;
    const settings: acp.NewSessionRequest = {
      cwd: this.#config.cwd,
      mcpServers: mcpToken === null || !capabilities.mcpHttp ? [] : [this.#ownTools(mcpToken)],
      ...(capabilities.system
        ? { systemPrompt: { mode: "append", content: [{ type: "text", text: system }] } }
        : {}),
      ...(meta === undefined ? {} : { _meta: meta }),
    };
    const { session } = acp.methods.agent;
    let opened: Opened;
    let sessionId = resume;
    if (sessionId === null) {
      const created = await live.agent.request(session.new, settings);
      opened = created;
      sessionId = created.sessionId;
    } else if (capabilities.resume === "none") throw new Error("it cannot resume a session");
    else {
      const resumed = { ...settings, sessionId };
      if (capabilities.resume === "resume") opened = await live.agent.request(session.resume, resumed);
      else {
        this.#replayed = sessionId;
        opened = await live.agent.request(session.load, resumed);
        await this.#untilReplayed();
      }
    }
    this.#session = sessionId;
    if (before !== null && before !== sessionId && live.canClose)
      await live.agent.request(session.close, { sessionId: before }).catch(() => undefined);
    const notes = await chooseSettings(live.agent, { sessionId, opened, mode, model });
    if (!capabilities.mcpHttp && mcpToken !== null)
      notes.push("The agent does not offer MCP over HTTP, so it cannot call Hox's tools.");
    this.#log.add({ kind: "opened", id, session: sessionId, notes });
  }

  /** Some replay still after their answer, and nothing says when that is over. */
  async #untilReplayed(): Promise<void> {
    for (let before = -1; before !== this.#replays; await pause(quietMs)) before = this.#replays;
  }

  #ownTools(token: string) {
    const headers = [{ name: "Authorization", value: `Bearer ${token}` }];
    return { type: "http" as const, name: "hox", url: `${this.#bridges.tools}/mcp`, headers };
  }

  /** Sends a prompt and reports how its turn ended. */
  async prompt({ id, session, text }: Prompt): Promise<void> {
    const ended = { kind: "turn", id, session, stopReason: null, failure: null, usage: null } as const;
    this.#turn = { id, session };
    this.#replayed = null;
    try {
      const live = await this.#live;
      if (live === null || this.#session !== session) throw new Error("the session is not open");
      const prompt: acp.PromptRequest = { sessionId: session, prompt: [{ type: "text", text }] };
      const answer = await live.agent.request(acp.methods.agent.session.prompt, prompt);
      this.#endTurn();
      const { stopReason, usage, _meta } = answer;
      this.#log.add({ ...ended, stopReason, usage: { usage, _meta } });
    } catch (error) {
      this.#endTurn();
      this.#log.add({ ...ended, failure: await this.#failureOf(error) });
    }
  }

  #endTurn(): void {
    this.#turn = null;
    clearTimeout(this.#stopping);
    this.#stopping = undefined;
    this.#settlePermissions();
  }

  /** Ends the turn; an agent that does not hear it is ended. */
  async cancel(): Promise<void> {
    const turn = this.#turn;
    const live = await this.#live?.catch(() => null);
    if (turn === null || turn !== this.#turn || this.#stopping !== undefined || !live) return;
    this.#stopping = setTimeout(() => live.process.stop(), this.#config.limits.cancelMs);
    this.#settlePermissions();
    const { session } = turn;
    await live.agent.notify(acp.methods.agent.session.cancel, { sessionId: session }).catch(() => undefined);
  }

  permit(request: string, option: string | null): void {
    this.#permissions.get(request)?.answer(option);
  }

  #settlePermissions(): void {
    for (const { answer } of [...this.#permissions.values()]) answer(null);
  }

  kill(): void {
    this.#process?.kill();
  }

  /** Ends the agent's process. */
  async stop(): Promise<void> {
    this.#process?.stop();
    await this.#process?.ended;
  }

  #start(): Promise<Live> {
    this.#live ??= this.#connect().catch((error: unknown) => {
      this.#live = null;
      throw error;
    });
    return this.#live;
  }

  async #connect(): Promise<Live> {
    const process = startAgent(this.#config, this.#bridges, () => this.#log.room());
    this.#process = process;
    this.#how = null;
    const connection = acp
      .client({ name: "hox" })
      .onRequest(acp.methods.client.session.requestPermission, ({ params, signal }) =>
        this.#ask(params, signal),
      )
      .onNotification(acp.methods.client.session.update, ({ params }) => {
        if (params.sessionId === this.#replayed) {
          this.#replays += 1;
          return;
        }
        this.#log.add({ kind: "update", session: params.sessionId, update: { ...params.update } });
      })
      // Extensions that Hox does not know.
      .onNotification("*", () => undefined)
      .connect(acp.ndJsonStream(process.input, process.output));
    connection.closed.then(() => process.stop());
    const ended = process.ended.then((how) => {
      this.#live = null;
      this.#process = null;
      this.#session = null;
      this.#how = how;
      connection.close();
      this.#log.add({ kind: "exited", how });
      throw new Error(how);
    });
    ended.catch(() => undefined);
    const initialize = connection.agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: { name: "hox", version: "1" },
      // Files and commands are the agent's own, inside its sandbox.
      clientCapabilities: {},
    });
    try {
      const answer = await Promise.race([initialize, ended]);
      if (answer.protocolVersion !== acp.PROTOCOL_VERSION)
        throw new Error(
          `it speaks version ${answer.protocolVersion} of the protocol, and Hox speaks version 1`,
        );
      this.#about = aboutAgent(answer);
      this.#log.add({ kind: "agent", ...this.#about });
      const canClose = Boolean(answer.agentCapabilities?.sessionCapabilities?.close);
      return { process, agent: connection.agent, about: this.#about, canClose };
    } catch (error) {
      process.stop();
      throw error;
    }
  }

  #ask(
    { sessionId, toolCall, options }: acp.RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<acp.RequestPermissionResponse> {
    // Of this call alone: the answer to one of an earlier runner counts for no other.
    const request = randomUUID();
    const shown = options.map(({ optionId, name, kind }) => ({ optionId, name, kind }));
    const event = {
      kind: "permission",
      request,
      session: sessionId,
      toolCall: { ...toolCall },
      options: shown,
    } as const;
    return new Promise((resolve) => {
      const answer = (option: string | null): void => {
        if (!this.#permissions.delete(request)) return;
        this.#log.add({ kind: "permission-over", request });
        resolve({
          outcome: option === null ? { outcome: "cancelled" } : { outcome: "selected", optionId: option },
        });
      };
      this.#permissions.set(request, { event, answer });
      this.#log.add(event);
      signal.addEventListener("abort", () => answer(null), { once: true });
      // Nobody waits for an answer outside of a turn.
      if (this.#turn === null || this.#stopping !== undefined) answer(null);
    });
  }

  async #failureOf(error: unknown): Promise<AgentFailure> {
    if (error instanceof acp.RequestError) {
      const { data } = error;
      const more = data === undefined || data === null ? "" : ` ${JSON.stringify(data).slice(0, 2_000)}`;
      return { code: error.code, message: `${error.message}${more}` };
    }
    // A connection is closed a moment before the process is known to have ended.
    const how = this.#process ? await Promise.race([this.#process.ended, pause(exitMs, null)]) : this.#how;
    return { code: null, message: how ?? (error instanceof Error ? error.message : String(error)) };
  }
}

/** After so long without a replayed message there is none. */
const quietMs = 250;

/** How long a process may take to end after its connection. */
const exitMs = 2_000;
