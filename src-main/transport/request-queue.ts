import { z } from "zod";
import { log } from "../log/log.ts";

/** What one client may ask for at a time; a window of Hox and all terminals together stay far below. */
export const workLimits = {
  /** Requests that are worked on; each may start processes. */
  active: 6,
  /** Requests that wait for those. */
  waiting: 100,
  waitingCharacters: 8_000_000,
} as const;

export interface WorkUnit {
  /** Characters, or bytes, that it holds while it waits. */
  readonly size: number;
  /** Resolves when it has been answered, whatever the answer was. */
  begin(): Promise<void>;
}

/**
 * Limits running and waiting work. Without limits a client's three thousand requests would start three
 * thousand processes before any other client's.
 */
export class BoundedWork<W extends WorkUnit = WorkUnit> {
  #active = 0;
  #waiting: W[] = [];
  #waitingSize = 0;

  get isIdle(): boolean {
    return this.#active === 0 && this.#waiting.length === 0;
  }

  /** False: it is more than may wait, and nothing was done of it. */
  offer(work: W): boolean {
    if (this.#active < workLimits.active) {
      this.#begin(work);
      return true;
    }
    if (
      this.#waiting.length >= workLimits.waiting ||
      this.#waitingSize + work.size > workLimits.waitingCharacters
    )
      return false;
    this.#waiting.push(work);
    this.#waitingSize += work.size;
    return true;
  }

  /** Drops matching work that waits. Running work is completed. */
  forget(fits: (work: W) => boolean): boolean {
    const kept = this.#waiting.filter((work) => !fits(work));
    const isChanged = kept.length < this.#waiting.length;
    this.#waiting = kept;
    this.#waitingSize = kept.reduce((sum, { size }) => sum + size, 0);
    return isChanged;
  }

  #begin(work: W): void {
    this.#active++;
    void work.begin().finally(() => {
      this.#active--;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#waitingSize -= next.size;
      this.#begin(next);
    });
  }
}

/** In oRPC's format, so that the client throws what the contract declares. @param who asks: "This window" */
export const tooMuch = (who: string) => ({
  defined: true,
  code: "TOO_MANY_REQUESTS",
  status: 429,
  message: `${who} sent too many requests at once.`,
  data: { remedy: "Wait for the pending requests, then retry." },
});

/** What one client may ask for at a time; a window of Hox stays far below all of it. */
export const requestLimits = {
  ...workLimits,
  /** Streams of events. A window has one, and a moment long two. */
  streams: 8,
  /** Frames that have come and were not looked at yet; beyond that nothing more is read. */
  unread: 500,
  unreadCharacters: 8_000_000,
} as const;

/** Frames are processed for this long, then other clients have a turn. */
const turnMs = 4;

/** One connection of a client. */
export interface ClientLine {
  /** Hands a frame to oRPC; resolves when it has been answered, whatever the answer was. */
  start(frame: string): Promise<void>;
  send(frame: string): void;
  /** Reads nothing until `resume`, where the transport can do that. */
  pause?(): void;
  resume?(): void;
  /** It sent what no client of Hox sends. */
  hangUp(): void;
}

interface Request extends WorkUnit {
  readonly line: ClientLine;
  readonly id: string;
}

/** The requests of one client, over all of its connections. */
export class RequestQueue {
  #unread: { readonly line: ClientLine; readonly frame: string }[] = [];
  #unreadCharacters = 0;
  #isTurnDue = false;
  readonly #paused = new Set<ClientLine>();
  readonly #ended = new WeakSet<ClientLine>();
  readonly #work = new BoundedWork<Request>();
  #streams = 0;

  /** Nothing of it is under way or waits. */
  get isIdle(): boolean {
    return this.#work.isIdle && this.#streams === 0;
  }

  /** What came over a line of this client. */
  take(line: ClientLine, frame: unknown): void {
    if (typeof frame !== "string") {
      this.#hangUp(line);
      return;
    }
    this.#unread.push({ line, frame });
    this.#unreadCharacters += frame.length;
    if (this.#isFull()) {
      this.#paused.add(line);
      line.pause?.();
    }
    this.#planTurn();
  }

  /** Drops this client's waiting work; running work is completed. */
  close(line: ClientLine): void {
    this.#ended.add(line);
    this.#paused.delete(line);
    this.#work.forget((one) => one.line === line);
  }

  #isFull(): boolean {
    return (
      this.#unread.length > requestLimits.unread || this.#unreadCharacters > requestLimits.unreadCharacters
    );
  }

  #planTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      this.#turn();
    });
  }

  #turn(): void {
    const begun = performance.now();
    let looked = 0;
    for (const { line, frame } of this.#unread) {
      looked++;
      this.#unreadCharacters -= frame.length;
      this.#look(line, frame);
      if (performance.now() - begun > turnMs) break;
    }
    this.#unread = this.#unread.slice(looked);
    if (!this.#isFull()) {
      for (const line of this.#paused) line.resume?.();
      this.#paused.clear();
    }
    if (this.#unread.length > 0) this.#planTurn();
  }

  #hangUp(line: ClientLine): void {
    log.warn("connection closed: malformed message");
    this.close(line);
    line.hangUp();
  }

  #look(line: ClientLine, frame: string): void {
    if (this.#ended.has(line)) return;
    const parsed = clientFrame(frame);
    if (parsed === null) this.#hangUp(line);
    else if (parsed.kind === "cancel") {
      // A running one is ended by oRPC.
      if (!this.#work.forget((one) => one.line === line && one.id === parsed.id)) void line.start(frame);
    } else if (parsed.isStream) this.#stream(line, parsed.id, frame);
    else {
      const request = { line, id: parsed.id, size: frame.length, begin: () => line.start(frame) };
      if (!this.#work.offer(request)) refuse(line, parsed.id);
    }
  }

  #stream(line: ClientLine, id: string, frame: string): void {
    if (this.#streams >= requestLimits.streams) {
      refuse(line, id);
      return;
    }
    this.#streams++;
    void line.start(frame).finally(() => {
      this.#streams--;
    });
  }
}

/**
 * The frames that a Hox client sends: a JSON request, or the cancelling of one. oRPC takes more (uploads, streams from
 * the client), nothing of which the contract uses, and answers a malformed frame with an unhandled rejection.
 */
const frame = z.union([
  z.object({ i: z.string().max(100), t: z.literal(4) }),
  z.object({
    i: z.string().max(100),
    t: z.literal(1).optional(),
    p: z.object({
      u: z
        .string()
        .max(500)
        .regex(/^(?:\/|https?:\/\/)[\w./:-]*$/u),
      // A client of Hox sends no headers.
      h: z.strictObject({}).optional(),
      m: z.string().max(10).optional(),
      b: z.unknown(),
    }),
  }),
]);

type ClientFrame =
  | {
      readonly kind: "request";
      readonly id: string /** Lasts as long as the client listens. */;
      readonly isStream: boolean;
    }
  | { readonly kind: "cancel"; readonly id: string };

/** What a frame is that may be given to oRPC; null for any other. */
function clientFrame(data: unknown): ClientFrame | null {
  if (typeof data !== "string") return null;
  try {
    const parsed = frame.safeParse(JSON.parse(data));
    if (!parsed.success) return null;
    if (parsed.data.t === 4) return { kind: "cancel", id: parsed.data.i };
    const { u } = parsed.data.p;
    const path = u.startsWith("/") ? u : new URL(u).pathname;
    return { kind: "request", id: parsed.data.i, isStream: path.endsWith("/watch") };
  } catch {
    return null;
  }
}

function refuse(line: ClientLine, id: string): void {
  const error = tooMuch("This window");
  log.warn("window request refused", { status: error.status });
  line.send(JSON.stringify({ i: id, p: { s: error.status, b: { json: error } } }));
}
