/** When a request may be sent: in an open turn whose gate is open. */
import type { GateReason, GatewayOptions } from "./gateway-interface.ts";
import { GatewayRefusal } from "./gateway-refusal.ts";

export class Admission {
  readonly #options: Pick<GatewayOptions, "gate" | "onHeld">;
  readonly #waiting = new Set<() => void>();
  #turn = 0;
  #isTurnOpen = false;
  #unrecorded: string | null = null;

  constructor(options: Pick<GatewayOptions, "gate" | "onHeld">) {
    this.#options = options;
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

  /** Whether a request of a turn may be sent at this moment, or what it waits for; a refusal says why it never may. */
  verdict(turn: number): "send" | GateReason | GatewayRefusal {
    if (this.#unrecorded !== null)
      return new GatewayRefusal(
        "unrecorded",
        `The cost of an earlier request could not be recorded (${this.#unrecorded}). Nothing more is sent.`,
      );
    if (!this.#isTurnOpen || turn !== this.#turn)
      return new GatewayRefusal("turn", "No turn is open. Requests are answered only during a turn.");
    return this.#options.gate() ?? "send";
  }

  /**
   * Resolves if a request of a turn may be sent. Where the gate is closed it waits for the end of the turn, which the host
   * is asked for: whatever the agent has to be told first is in its next prompt.
   *
   * @throws GatewayRefusal if it may not be sent
   */
  async admit(turn: number, signal: AbortSignal): Promise<void> {
    for (let isHeld = false; ; isHeld = true) {
      signal.throwIfAborted();
      const verdict = this.verdict(turn);
      if (verdict === "send") return;
      if (verdict instanceof GatewayRefusal)
        throw isHeld ? new GatewayRefusal("held", "The turn ended while this request waited.") : verdict;
      // The host may end the turn at once.
      const changed = this.#change(signal);
      this.#options.onHeld(verdict);
      await changed;
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
