import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { connect, type Socket } from "node:net";
import {
  type Attached,
  lineReader,
  type RunnerCommand,
  type RunnerEvent,
  runnerMessage,
} from "./runner/runner-protocol.ts";
import type { RunnerAddress } from "./start-runner.ts";

/** A host's connection to a worker's runner. */
export interface RunnerLink {
  readonly attached: Attached;
  send(command: Exclude<RunnerCommand, { kind: "attach" | "confirm" }>): void;
  /** Resolves when it is closed, by either side. */
  readonly closed: Promise<void>;
  /** Leaves the runner and its turn as they are. */
  close(): void;
}

export interface AttachOptions {
  /** How long a runner may take to answer. Default: 30 s. */
  readonly answerMs?: number;
  /** The last event that an earlier host has stored, confirmed or not. Default: the last that one confirmed. */
  readonly after?: number | null;
  /** Called before the first event. */
  onAttached?(link: RunnerLink): void;
  /** Called with each event in order; once it returns the event counts as handled and is never sent again. */
  onEvent(event: RunnerEvent, seq: number, link: RunnerLink): void;
  /** Called after the events that came together, with the number of the last: before the runner may forget them. */
  onBatch?(seq: number): void;
}

/**
 * Attaches to a runner, and resolves when all that happened before has been handled.
 *
 * @throws Error where no runner answers there
 */
export async function attachRunner(
  { socket: path, token }: Pick<RunnerAddress, "socket" | "token">,
  { after, onAttached, onEvent, onBatch, answerMs = defaultAnswerMs }: AttachOptions,
): Promise<RunnerLink> {
  const socket = connectTo(path);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(), answerMs);
    const closed = new Promise<void>((done) => socket.once("close", () => done()));
    closed.then(() => {
      clearTimeout(timer);
      reject(new Error("The agent's runner did not answer."));
    });
    socket.on("error", reject);
    const send = (command: RunnerCommand): void => {
      socket.write(`${JSON.stringify(command)}\n`);
    };
    send({ kind: "attach", token, after: after ?? null });
    const lines = lineReader();
    let last = 0;
    let link: RunnerLink | null = null;
    socket.on("data", (chunk: Buffer) => {
      const before = last;
      try {
        for (const line of lines(chunk)) {
          const message = runnerMessage.parse(JSON.parse(line));
          if (message.kind === "attached") {
            clearTimeout(timer);
            link = { attached: message, send, closed, close: () => socket.destroy() };
            last = message.from;
            onAttached?.(link);
          } else if (link && message.seq > last) {
            onEvent(message.event, message.seq, link);
            last = message.seq;
          }
        }
        if (link && last > Math.max(before, link.attached.from)) {
          onBatch?.(last);
          send({ kind: "confirm", seq: last });
        }
      } catch (error) {
        // What was not handled is not confirmed.
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
      if (link && last >= link.attached.last) resolve(link);
    });
  });
}

const defaultAnswerMs = 30_000;

/** Opens a socket and no other file, without following a link. Node has no name for it. */
const onlyItself = 0o10000000 | constants.O_NOFOLLOW;

/**
 * The agent may put a link in its place at any moment, which would lead to another worker's.
 * @throws Error where no socket is there
 */
export function connectTo(path: string): Socket {
  if (process.platform !== "linux") return connect(path);
  const file = openSync(path, onlyItself);
  try {
    if (!fstatSync(file).isSocket()) throw new Error(`${path} is not a socket.`);
    return connect(`/proc/self/fd/${file}`).once("close", () => closeSync(file));
  } catch (error) {
    closeSync(file);
    throw error;
  }
}
