/** When a request may be sent: in an open turn that nothing holds, as far as the budget allows. */
import type { GatewayOptions, Hold } from "./gateway-interface.ts";
import { GatewayRefusal } from "./gateway-refusal.ts";

interface HoldState {
  readonly reason: string;
  readonly onArrived: () => void;
  isRefused: boolean;
}

export class Admission {
  readonly #gate: GatewayOptions["gate"];
  readonly #holds = new Set<HoldState>();
  readonly #waiting = new Set<() => void>();
  #turn = 0;
  #isTurnOpen = false;
  #unrecorded: string | null = null;

  constructor(gate: GatewayOptions["gate"]) {
    this.#gate = gate;
  }

  /** The open turn or the last one: a request belongs to the turn in which it arrives. */
  get turn(): number {
    return this.#turn;
  }

  /** Whether there was a turn: before the first, an agent that starts may ask for what is free. */
  get hasBegun(): boolean {
    return this.#turn > 0;
  }

  setTurn(isOpen: boolean): void {
    if (isOpen && !this.#isTurnOpen) this.#turn += 1;
    this.#isTurnOpen = isOpen;
    this.#look();
  }

  /** Nothing more may be spent: what it costs cannot be recorded. */
  stop(why: string): void {
    this.#unrecorded = why;
    this.#look();
  }

  hold(reason: string): Hold {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const state: HoldState = { reason, onArrived: resolve, isRefused: false };
    this.#holds.add(state);
    return {
      arrived,
      release: () => {
        this.#holds.delete(state);
        this.#look();
      },
      refuse: () => {
        state.isRefused = true;
        this.#look();
      },
    };
  }

  /** Whether a request of a turn may be sent at this moment; a refusal says why not. */
  verdict(turn: number): "send" | "wait" | GatewayRefusal {
    if (this.#unrecorded !== null)
      return new GatewayRefusal(
        "unrecorded",
        `The cost of an earlier request could not be recorded (${this.#unrecorded}). Nothing more is sent.`,
      );
    if (!this.#isTurnOpen || turn !== this.#turn)
      return new GatewayRefusal("turn", "No turn is open. Requests are answered only during a turn.");
    for (const { isRefused, reason } of this.#holds)
      if (isRefused) return new GatewayRefusal("held", `The turn ends here: ${reason}.`);
    if (this.#holds.size > 0) return "wait";
    const closed = this.#gate();
    if (closed === "pause") return new GatewayRefusal("pause", "The worker is paused. End the turn.");
    if (closed === "budget") return new GatewayRefusal("budget", "The budget is spent. End the turn.");
    return "send";
  }

  /**
   * Waits until a request of a turn may be sent.
   *
   * @returns whether it had to wait
   * @throws GatewayRefusal if it may not
   */
  async admit(turn: number, signal: AbortSignal): Promise<boolean> {
    for (let hasWaited = false; ; hasWaited = true) {
      signal.throwIfAborted();
      const verdict = this.verdict(turn);
      if (verdict === "send") return hasWaited;
      if (verdict !== "wait") throw verdict;
      for (const { onArrived } of this.#holds) onArrived();
      await this.#change(signal);
    }
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }

  #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => this.#waiting.delete(resolve));
  }
}
