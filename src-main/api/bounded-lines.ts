import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** Reads a socket line by line, from somebody who may be anybody. */
export interface BoundedLines {
  /** The next line, without its end; null when none came in time, when the other side ended, or said too much. */
  next(ms: number): Promise<string | null>;
}

/**
 * @param longest what may wait here unread, in characters; a socket on which more comes is closed. Time counts from
 *   each question on: a letter now and then does not make it longer.
 */
export function boundedLines(socket: Socket, longest: number): BoundedLines {
  const decoder = new StringDecoder("utf8");
  let unread = "";
  let changed = (): void => undefined;
  socket.on("data", (data: Buffer) => {
    unread += decoder.write(data);
    if (unread.length > longest) {
      unread = "";
      socket.destroy();
    }
    changed();
  });
  for (const event of ["end", "close", "error"] as const) socket.on(event, () => changed());

  return {
    next: (ms) =>
      new Promise((resolve) => {
        const done = (line: string | null): void => {
          clearTimeout(late);
          changed = () => undefined;
          resolve(line);
        };
        const late = setTimeout(() => done(null), ms);
        changed = () => {
          const end = unread.indexOf("\n");
          if (end >= 0) {
            const line = unread.slice(0, end);
            unread = unread.slice(end + 1);
            done(line);
          } else if (socket.destroyed || socket.readableEnded) done(null);
        };
        changed();
      }),
  };
}
