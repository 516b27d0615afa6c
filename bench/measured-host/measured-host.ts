import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { hostArguments } from "../../build/host-arguments.mjs";
import type { InboxItem } from "../../src-shared/contract/cards.ts";
import {
  type Asked,
  type HostMessage,
  isOver,
  type Measures,
  type RunSeen,
  type StartedRun,
  type SteerCommand,
  type ToolSeen,
} from "./messages.ts";

const program = fileURLToPath(new URL("program.ts", import.meta.url));

export interface MeasuredHostOptions {
  readonly root: string;
  readonly stateFolder: string;
  /** Where the model is, by default at its provider, and the key it takes. */
  readonly model: { readonly url?: string; readonly apiKey: string };
  /** Where it listens for workers. */
  readonly workerPort?: number;
  /** For Node itself, such as `--cpu-prof`. */
  readonly nodeArguments?: readonly string[];
}

/** The real host in another process, as its parent sees it. */
export class MeasuredHost {
  readonly notices: { readonly level: string; readonly text: string }[] = [];
  /** Cards that stopped the work, as none is answered. */
  readonly cards: InboxItem[] = [];
  run: RunSeen | null = null;
  /** Told of every view of the run, and of every tool that a worker has used. */
  onRun: (run: RunSeen) => void = () => undefined;
  onTool: (tool: ToolSeen) => void = () => undefined;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  #measures: Measures | null = null;
  #before: string | null = null;
  #ready = false;
  #refused: string | null = null;
  #output = "";

  private constructor(options: MeasuredHostOptions) {
    const { DISPLAY: _, ...environment } = process.env;
    this.#child = fork(program, [options.root, options.stateFolder], {
      execArgv: [...hostArguments, "--expose-gc", ...(options.nodeArguments ?? [])],
      env: {
        ...environment,
        ANTHROPIC_API_KEY: options.model.apiKey,
        ...(options.workerPort === undefined ? {} : { HOX_WORKER_PORT: `${options.workerPort}` }),
        ...(options.model.url === undefined ? {} : { ANTHROPIC_BASE_URL: options.model.url }),
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (text: Buffer) => {
        this.#output = (this.#output + text.toString()).slice(-20_000);
      });
    this.#child.on("message", (message: HostMessage) => this.#take(message));
    this.#child.on("exit", () => this.#wake());
  }

  /** Resolves when the repository is open. */
  static async start(options: MeasuredHostOptions): Promise<MeasuredHost> {
    const host = new MeasuredHost(options);
    // For what hangs: on a machine that others keep busy the sources alone take long to load.
    await host.until(() => host.#ready, 180_000);
    return host;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get gone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  begin(goal: string, more: Omit<StartedRun, "goal"> = {}): void {
    // The last words about the run before may still be on their way.
    this.#before = this.run?.id ?? null;
    this.run = null;
    this.#ask({ kind: "start", goal, ...more });
  }

  /** Gives a command about the run that it shows. */
  steer(command: SteerCommand, input: Readonly<Record<string, unknown>> = {}): void {
    if (this.run !== null && !isOver(this.run))
      this.#ask({ kind: "steer", command, input: { run: this.run.id, ...input } });
  }

  /** Waits for the run to be over; null when it is stuck, because a card is not answered. */
  async over(ms: number): Promise<RunSeen | null> {
    await this.until(() => (this.run !== null && isOver(this.run)) || this.cards.length > 0, ms);
    return this.run !== null && isOver(this.run) ? this.run : null;
  }

  async measure(): Promise<Measures> {
    this.#measures = null;
    this.#ask({ kind: "measure" });
    await this.until(() => this.#measures !== null, 60_000);
    return this.#measures as unknown as Measures;
  }

  /** Waits until it is so. Rejects with what the host last said when it refuses, ends or takes longer than `ms`. */
  async until(so: () => boolean, ms: number): Promise<void> {
    const deadline = performance.now() + ms;
    while (!so()) {
      const left = deadline - performance.now();
      if (this.#refused !== null) throw new Error(`The host refused: ${this.#refused}`);
      if (this.gone || left <= 0)
        throw new Error(
          `${this.gone ? "The host has ended" : `It did not come to that in ${Math.round(ms / 1000)} s`}: ` +
            `${JSON.stringify({ run: this.run, cards: this.cards, notices: this.notices.slice(-20) })}\n${this.#output}`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(wake, Math.min(left, 1_000));
        const waiting = this.#waiting;
        function wake(): void {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        }
        waiting.add(wake);
      });
    }
  }

  /** Ends it in order. */
  async close(): Promise<void> {
    if (this.gone) return;
    const ended = once(this.#child, "exit");
    this.#ask({ kind: "close" });
    await ended;
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    if (this.gone) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  #ask(asked: Asked): void {
    this.#child.send(asked);
  }

  #take(message: HostMessage): void {
    if (message.kind === "ready") this.#ready = true;
    else if (message.kind === "refused") this.#refused = message.error;
    else if (message.kind === "run") {
      if (message.run.id !== this.#before) {
        this.run = message.run;
        this.onRun(message.run);
      }
    } else if (message.kind === "tool") this.onTool(message.tool);
    else if (message.kind === "notice") this.notices.push({ level: message.level, text: message.text });
    else if (message.kind === "card") this.cards.push(message.card);
    else this.#measures = message.measures;
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
