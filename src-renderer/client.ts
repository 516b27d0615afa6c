/** One typed client for whatever carries it: a message port under Electron, a WebSocket in a browser. */
import { type ClientLink, createORPCClient, ORPCError } from "@orpc/client";
import { RPCLink as PortLink } from "@orpc/client/message-port";
import { RPCLink as SocketLink } from "@orpc/client/websocket";
import { fillingLink, type HoxClient, type Shown } from "#shared/contract/contract.ts";
import { socketPath, socketProtocols } from "#shared/contract/loopback.ts";
import { connectMessage, portMessage } from "#shared/contract/window-messages.ts";
import { openSession } from "./session.ts";

type Link = ClientLink<Record<never, never>>;

/** An open way to the host. Streams on it end with an error when it breaks. */
export interface Line {
  readonly link: Link;
  isOpen(): boolean;
  close(): void;
}

/** What is on screen: the window says it. */
let shown: () => Shown = () => ({ repository: null, run: null });

/** Says with every call which repository and run it is for, where the call does not: what is on screen at that moment. */
export function followShown(of: () => Shown): void {
  shown = of;
}

export const usesPort = (): boolean => location.protocol === "app:";

function openPort(): Promise<Line> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      removeEventListener("message", accept);
      reject(new Error("The window could not connect to the app."));
    }, 5_000);
    const accept = (message: MessageEvent): void => {
      const port = message.ports[0];
      if (message.source !== window || message.data !== portMessage || port === undefined) return;
      clearTimeout(timer);
      removeEventListener("message", accept);
      const link = new PortLink({ port });
      port.start();
      // A port does not say when its other end goes: the app goes with it.
      resolve({ link, isOpen: () => true, close: () => port.close() });
    };
    addEventListener("message", accept);
    window.postMessage(connectMessage, location.origin);
  });
}

async function openSocket(): Promise<Line> {
  const session = await openSession();
  return new Promise((resolve, reject) => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    // A browser can set no header on a socket; the subprotocol keeps the session out of the address.
    const socket = new WebSocket(`${scheme}://${location.host}${socketPath}`, socketProtocols(session));
    const link = new SocketLink({ websocket: socket });
    const isOpen = (): boolean => socket.readyState === WebSocket.OPEN;
    socket.addEventListener("open", () => resolve({ link, isOpen, close: () => socket.close() }));
    socket.addEventListener("close", () => reject(new Error("Hox is not responding.")));
  });
}

export const openLine = (): Promise<Line> => (usesPort() ? openPort() : openSocket());

/** The line in use. Calls made while there is none wait a little for the next one. */
let current: Line | null = null;
let waiting: ((line: Line) => void)[] = [];

export function setLine(line: Line | null): void {
  current = line;
  isSilent = false;
  if (line === null) return;
  wasOpen = true;
  for (const go of waiting) go(line);
  waiting = [];
}

/** The host said nothing to a call: it is cut off or stopped. */
class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

const nothingSent = "Nothing was sent. Try again when Hox is connected.";
const outcomeUnknown = "The result will appear when the connection is back.";

/** The code of a failure that says nothing but that no answer came. */
export const noAnswer = "NO_ANSWER";

/** Whether the line is open and nothing comes through it any more. */
let isSilent = false;
/** Calls that wait for their answer: how each of them gives up. */
const unanswered = new Set<(error: Error) => void>();

/** While silent, pending requests are abandoned and new ones are not sent: no answer can arrive. */
export function setSilent(silent: boolean): void {
  isSilent = silent;
  if (!silent) return;
  for (const giveUp of unanswered) giveUp(new NoAnswer("Hox is not responding.", outcomeUnknown));
}

/** The answer of a call, or in words why none comes. */
async function answerOn(line: Line, answer: Promise<unknown>, signal?: AbortSignal): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  unanswered.add(reject);
  try {
    return await Promise.race([answer, promise]);
  } catch (error) {
    if (line.isOpen() || error instanceof ORPCError || signal?.aborted) throw error;
    throw new NoAnswer("The connection to Hox was lost before it responded.", outcomeUnknown);
  } finally {
    unanswered.delete(reject);
  }
}

/** While the window opens the host may still be starting; once a stream was cut, the user learns of it at once. */
const [patienceMs, cutPatienceMs] = [4_000, 500];
let wasOpen = false;

function lineOrFailure(): Promise<Line> {
  if (isSilent) return Promise.reject(new NoAnswer("Hox is not responding.", nothingSent));
  if (current) return Promise.resolve(current);
  return new Promise((resolve, reject) => {
    const go = (line: Line): void => {
      clearTimeout(timer);
      resolve(line);
    };
    const timer = setTimeout(
      () => {
        waiting = waiting.filter((other) => other !== go);
        reject(new NoAnswer("The window is not connected to Hox.", nothingSent));
      },
      wasOpen ? cutPatienceMs : patienceMs,
    );
    waiting.push(go);
  });
}

/** Throws for what may not be asked of the host at this moment. */
let guard: (path: readonly string[]) => void = () => undefined;

export function guardCalls(check: (path: readonly string[]) => void): void {
  guard = check;
}

const lineLink: Link = {
  async call(path, input, options) {
    guard(path);
    const line = await lineOrFailure();
    return answerOn(line, line.link.call(path, input, options), options.signal);
  },
};

export const client: HoxClient = createORPCClient(fillingLink(lineLink, () => shown()) as Link);

/** What went wrong and what to do, from any error that a call may end with. */
export interface Failure {
  readonly code: string;
  readonly text: string;
  readonly remedy: string | null;
  /** Place of the mistake in what was sent, in characters. */
  readonly start: number | null;
  readonly end: number | null;
}

const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null);
const numberOr = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** What is wrong with a call that its schema refuses. */
function issueIn({ issues }: Record<string, unknown>): string | null {
  const [issue] = Array.isArray(issues) ? (issues as readonly { readonly message?: unknown }[]) : [];
  return textOr(issue?.message);
}

export function toFailure(error: unknown): Failure {
  if (error instanceof ORPCError) {
    const data: Record<string, unknown> =
      typeof error.data === "object" && error.data !== null ? { ...error.data } : {};
    return {
      code: error.code,
      text: issueIn(data) ?? error.message,
      remedy: textOr(data.remedy),
      start: numberOr(data.start),
      end: numberOr(data.end),
    };
  }
  if (error instanceof NoAnswer)
    return { code: noAnswer, text: error.message, remedy: error.remedy, start: null, end: null };
  const text = error instanceof Error ? error.message : String(error);
  return { code: "FAILED", text, remedy: null, start: null, end: null };
}
