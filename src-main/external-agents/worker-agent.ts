import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type {
  PermissionEvent,
  ReportedCapabilities,
  RunnerCommand,
  RunnerEvent,
} from "./runner/runner-protocol.ts";
import { attachRunner, type RunnerLink } from "./runner-link.ts";
import type { RunnerHandle } from "./start-runner.ts";
import { NotOpened, type TurnOutcome } from "./turn-end.ts";

/** Hears what happens in one session. */
export interface SessionListener {
  onUpdate(update: unknown): void;
  /** Updates that came together have been handed over. */
  onBatch(): void;
  /** A turn that an earlier host began is still running. */
  onRunningTurn(): void;
  onTurn(outcome: TurnOutcome): void;
  /** @returns the chosen option; null: none */
  onPermission(request: PermissionEvent, signal: AbortSignal): Promise<string | null>;
  onNotice(text: string): void;
  /** The runner is gone, or this host no longer reaches it. */
  onClosed(): void;
}

type Open = Extract<RunnerCommand, { kind: "open" }>;

/** For a runner to end its agent. */
const endMs = 5_000;

/** One worker's agent as a host sees it: its runner, which one is attached to, and its sessions. */
export class WorkerAgent {
  readonly #find: (gone: RunnerHandle | null) => Promise<RunnerHandle>;
  readonly #onHandled: (seq: number) => void;
  readonly #listeners = new Map<string, SessionListener>();
  readonly #opening = new Map<
    string,
    { resolve(session: string): void; reject(error: Error): void; readonly listener: SessionListener }
  >();
  readonly #asked = new Map<string, AbortController>();
  #runner: RunnerHandle | null = null;
  #link: Promise<RunnerLink> | null = null;
  #session: string | null = null;
  /** What earlier runners have changed of protected files. */
  readonly #restored: string[] = [];
  #losses: string[] = [];
  #isBehind = false;
  capabilities: ReportedCapabilities | null = null;
  version = "unknown";
  /** Until a turn shows that it does not. */
  reportsUsage = true;

  /** @param find the runner that is there, or a new one; `gone` does not answer any more */
  constructor(
    find: (gone: RunnerHandle | null) => Promise<RunnerHandle>,
    onHandled: (seq: number) => void = () => undefined,
  ) {
    this.#find = find;
    this.#onHandled = onHandled;
  }

  /** The workspace as the agent sees it. */
  get view(): string {
    return this.#runner?.view ?? "/";
  }

  /** The session that is open in the runner. */
  get session(): string | null {
    return this.#session;
  }

  /** Whether it is, or was last, on another machine. */
  get isAway(): boolean {
    return this.#runner?.isAway ?? false;
  }

  /** Whether it was on another machine before, so that its session knows nothing of its last turn. Once. */
  takeBehind(): boolean {
    const isBehind = this.#isBehind;
    this.#isBehind = false;
    return isBehind;
  }

  /** What the agent has to be told of lost files, once. */
  takeLosses(): readonly string[] {
    return this.#losses.splice(0);
  }

  listen(session: string, listener: SessionListener): void {
    this.#listeners.set(session, listener);
  }

  /** Attaches to the runner, where that has not been done yet. */
  connect(): Promise<RunnerLink> {
    this.#link ??= this.#attach().catch((error: unknown) => {
      this.#link = null;
      throw error;
    });
    return this.#link;
  }

  async #attach(): Promise<RunnerLink> {
    try {
      return await this.#attachTo(await this.#next());
    } catch {
      // An earlier host's, which has ended meanwhile.
      return this.#attachTo(await this.#next());
    }
  }

  /** Two runners of one worker would both be in its workspace. */
  async #next(): Promise<RunnerHandle> {
    const gone = this.#runner;
    await gone?.kill();
    // The next one would take what this one has left for the repository's own.
    this.#restored.push(...((await gone?.restoreProtected()) ?? []));
    this.#runner = await this.#find(gone);
    this.#isBehind ||= gone?.isAway ?? false;
    if (this.#runner.loss) this.#losses.push(this.#runner.loss);
    return this.#runner;
  }

  #attachTo(runner: RunnerHandle): Promise<RunnerLink> {
    return attachRunner(runner, {
      onAttached: (link) => {
        const { agent, session, turn, permissions } = link.attached;
        this.#session = session;
        if (agent) this.#know(agent);
        if (turn) this.#listeners.get(turn.session)?.onRunningTurn();
        for (const one of permissions) this.#ask(link, one);
        link.closed.then(() => this.#closed());
      },
      onEvent: (event, _, link) => this.#take(link, event),
      after: runner.after ?? null,
      onBatch: (seq) => {
        for (const listener of this.#listeners.values()) listener.onBatch();
        this.#onHandled(seq);
      },
    });
  }

  #know({ version, capabilities }: { version: string; capabilities: ReportedCapabilities }): void {
    this.version = version;
    this.capabilities = capabilities;
  }

  #closed(): void {
    this.#link = null;
    this.#session = null;
    for (const asked of this.#asked.values()) asked.abort();
    this.#asked.clear();
    for (const { reject } of this.#opening.values()) reject(new Error("the agent's runner has ended"));
    this.#opening.clear();
    for (const listener of this.#listeners.values()) listener.onClosed();
  }

  #take(link: RunnerLink, event: RunnerEvent): void {
    switch (event.kind) {
      case "agent":
        this.#know(event);
        break;
      case "opened": {
        this.#session = event.session;
        const opening = this.#opening.get(event.id);
        this.#opening.delete(event.id);
        if (!opening) break;
        this.#listeners.set(event.session, opening.listener);
        for (const note of event.notes) opening.listener.onNotice(note);
        opening.resolve(event.session);
        break;
      }
      case "not-opened":
        this.#opening.get(event.id)?.reject(new NotOpened(event.failure));
        this.#opening.delete(event.id);
        break;
      case "update":
        this.#listeners.get(event.session)?.onUpdate(event.update);
        break;
      case "permission":
        this.#ask(link, event);
        break;
      case "permission-over":
        this.#asked.get(event.request)?.abort();
        this.#asked.delete(event.request);
        break;
      case "turn":
        this.#listeners.get(event.session)?.onTurn(event);
        break;
      case "exited":
        this.#session = null;
    }
  }

  #ask(link: RunnerLink, event: PermissionEvent): void {
    if (this.#asked.has(event.request)) return;
    const over = new AbortController();
    this.#asked.set(event.request, over);
    const { request } = event;
    const answer = (option: string | null): void => {
      if (!over.signal.aborted) link.send({ kind: "permit", request, option });
    };
    const listener = this.#listeners.get(event.session);
    if (listener) listener.onPermission(event, over.signal).then(answer, () => answer(null));
    else answer(null);
  }

  /** @throws NotOpened, or Error where the runner ended */
  async open(settings: Omit<Open, "kind" | "id">, listener: SessionListener): Promise<string> {
    const link = await this.connect();
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      this.#opening.set(id, { resolve, reject, listener });
      link.send({ kind: "open", id, ...settings });
    });
  }

  /** @returns its id, which its outcome has too */
  async prompt(session: string, text: string): Promise<string> {
    const id = randomUUID();
    (await this.connect()).send({ kind: "prompt", id, session, text });
    return id;
  }

  /** Reverts what was changed of protected files, and says which. */
  async restoreProtected(): Promise<readonly string[]> {
    return [...this.#restored.splice(0), ...((await this.#runner?.restoreProtected()) ?? [])];
  }

  cancel(): void {
    this.#link?.then(
      (link) => link.send({ kind: "cancel" }),
      () => undefined,
    );
  }

  /** Ends the sandbox with all that is in it. */
  async kill(): Promise<void> {
    await this.#runner?.kill();
  }

  /** Ends the agent and its runner. */
  async close(): Promise<void> {
    const link = this.#link?.catch(() => null);
    // A runner that its agent has stopped hears nothing.
    const closed = link?.then((open) => {
      open?.send({ kind: "end" });
      return open?.closed;
    });
    await Promise.race([closed, pause(endMs, undefined, { ref: false })]);
    await this.kill();
    // What it did after its last turn.
    await this.restoreProtected();
  }
}
