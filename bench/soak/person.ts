import { setTimeout as pause } from "node:timers/promises";
import type { MeasuredHost } from "../measured-host/measured-host.ts";
import type { Chance } from "./random.ts";

/** How long something stays paused at most. */
const maxPausedMs = 2_000;

/** An agent that hears something new all the time is never done. */
const maxPerRun = 25;

/** Somebody who steers the run in the app, beside others who do the same: pauses, resumes and writes to agents by chance. */
export class Person {
  readonly #host: MeasuredHost;
  readonly #chance: Chance;
  readonly #meanMs: number;
  readonly #counts = new Map<string, number>();
  #stopped = false;
  #run: string | null = null;
  #acted = 0;

  constructor(host: MeasuredHost, chance: Chance, meanMs: number) {
    this.#host = host;
    this.#chance = chance;
    this.#meanMs = meanMs;
  }

  get commands(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Goes on until stopped. Whatever it paused it resumes. */
  async work(): Promise<void> {
    while (!this.#stopped) {
      const run = this.#host.run?.id ?? null;
      if (run !== this.#run) [this.#run, this.#acted] = [run, 0];
      if (run !== null && ++this.#acted <= maxPerRun) {
        const [name, act] = this.#chance.pick(this.#acts);
        this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
        await act();
      }
      await pause(this.#chance.next() * 2 * this.#meanMs);
    }
  }

  readonly #acts: readonly (readonly [string, () => Promise<void>])[] = [
    ["write to an agent", () => this.#write()],
    ["write to an agent", () => this.#write()],
    ["pause an agent", () => this.#pauseAgent()],
    ["pause an agent", () => this.#pauseAgent()],
    ["pause the run", () => this.#pauseRun()],
  ];

  #agent(): string | null {
    const agents = (this.#host.run?.workers ?? []).filter(({ name }) => name.startsWith("agent-"));
    return agents.length === 0 ? null : this.#chance.pick(agents).name;
  }

  async #write(): Promise<void> {
    const worker = this.#agent();
    if (worker === null) return;
    this.#host.steer("run.messageWorker", { worker, text: `Remark ${this.#chance.below(1000)}.` });
  }

  async #pauseAgent(): Promise<void> {
    const worker = this.#agent();
    if (worker === null) return;
    this.#host.steer("run.pauseWorker", { worker });
    await pause(this.#chance.next() * maxPausedMs);
    this.#host.steer("run.resumeWorker", { worker });
  }

  async #pauseRun(): Promise<void> {
    this.#host.steer("run.pause");
    await pause(this.#chance.next() * maxPausedMs);
    this.#host.steer("run.resume");
  }
}
