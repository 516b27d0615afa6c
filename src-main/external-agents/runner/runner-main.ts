/**
 * The process that is with one worker's agent for its life, inside its sandbox: it owns the connection, the session, the turn
 * and what happened since a host last looked. The host may end and come back.
 */
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { AgentClient } from "./agent-client.ts";
import { type Bridges, openBridge } from "./bridge.ts";
import { EventLog } from "./event-log.ts";
import {
  type Attached,
  lineReader,
  type RunnerCommand,
  type RunnerConfig,
  runnerCommand,
  runnerConfig,
} from "./runner-protocol.ts";

class Runner {
  readonly #config: RunnerConfig;
  readonly #log: EventLog;
  readonly #agent: AgentClient;
  /** The host that is attached: the newest. */
  #host: { readonly socket: Socket; sent: number } | null = null;
  /** Sessions and prompts, one after the other. */
  #work: Promise<void> = Promise.resolve();
  readonly #seen = new Set<string>();
  #unattended: NodeJS.Timeout | undefined;

  constructor(config: RunnerConfig, bridges: Bridges) {
    this.#config = config;
    this.#log = new EventLog(config.limits.unconfirmedBytes);
    this.#agent = new AgentClient(config, bridges, this.#log);
    this.#log.onEvent = () => this.#send();
    this.#waitForHost();
  }

  accept(socket: Socket): void {
    const lines = lineReader();
    let isAttached = false;
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      try {
        for (const line of lines(chunk)) {
          const command = runnerCommand.parse(JSON.parse(line));
          if (isAttached) this.#take(command);
          else if (command.kind === "attach" && command.token === this.#config.token) {
            isAttached = true;
            this.#attach(socket, command.after);
          } else throw new Error("Not attached.");
        }
      } catch {
        // Not a host, or one of another version.
        socket.destroy();
      }
    });
    socket.on("close", () => {
      if (this.#host?.socket !== socket) return;
      this.#host = null;
      this.#waitForHost();
    });
  }

  #attach(socket: Socket, after: number | null): void {
    const { about: agent, session, turn, permissions } = this.#agent;
    const from = Math.max(after ?? 0, this.#log.confirmed);
    const answer: Attached = {
      ...{ kind: "attached", from, last: this.#log.last, agent, session, turn },
      permissions: [...permissions],
    };
    this.#host?.socket.destroy();
    clearTimeout(this.#unattended);
    this.#host = { socket, sent: from };
    socket.write(`${JSON.stringify(answer)}\n`);
    socket.on("drain", () => this.#send());
    this.#send();
  }

  /** As much as the host takes; the rest waits in the log. */
  #send(): void {
    const host = this.#host;
    while (host && !host.socket.writableNeedDrain) {
      const event = this.#log.next(host.sent);
      if (event === undefined) return;
      host.sent = event.seq;
      host.socket.write(`${event.line}\n`);
    }
  }

  #take(command: RunnerCommand): void {
    switch (command.kind) {
      case "attach":
        break;
      case "confirm":
        this.#log.confirm(command.seq);
        break;
      case "open":
        this.#inOrder(command.id, () => this.#agent.open(command));
        break;
      case "prompt":
        this.#inOrder(command.id, () => this.#agent.prompt(command));
        break;
      case "cancel":
        // After the prompt that came just before it.
        setImmediate(() => this.#agent.cancel());
        break;
      case "permit":
        this.#agent.permit(command.request, command.option);
        break;
      case "end":
        void this.#end();
    }
  }

  /** Without a sandbox the agent would live on. */
  kill(): void {
    this.#agent.kill();
    process.exit(1);
  }

  #inOrder(id: string, work: () => Promise<void>): void {
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    this.#work = this.#work.then(work);
  }

  #waitForHost(): void {
    this.#unattended = setTimeout(() => {
      // Without a host there is no model, so a turn ends sooner or later, if its agent does not wait for room.
      if (this.#agent.turn === null || this.#log.isFull) void this.#end();
      else this.#waitForHost();
    }, this.#config.limits.unattendedMs);
  }

  async #end(): Promise<void> {
    rmSync(this.#config.socket, { force: true });
    await this.#agent.stop();
    process.exit(0);
  }
}

/** The first line of the input; its end, which comes with the host's, means nothing. */
const firstLine = (): Promise<string> =>
  new Promise((resolve) => {
    const lines = lineReader();
    process.stdin.on("data", (chunk: Buffer) => {
      const [line] = lines(chunk);
      if (line !== undefined) resolve(line);
    });
  });

// The host that reads them may be gone.
for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on("error", () => undefined);
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
const config = runnerConfig.parse(JSON.parse(await firstLine()));
const bridges: Bridges = {
  gateway: await openBridge(config.gateway),
  tools: await openBridge(config.tools),
  network: config.network === null ? null : await openBridge(config.network),
};
const runner = new Runner(config, bridges);
process.on("SIGTERM", () => runner.kill());
rmSync(config.socket, { force: true });
createServer((socket) => runner.accept(socket)).listen(config.socket, () => process.stdout.write("ready\n"));
