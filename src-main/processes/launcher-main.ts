/**
 * A process that only starts programs for its host. Forking copies the caller's memory tables and blocks it:
 * a host with much memory takes twenty times as long as this one.
 *
 * When its host is gone, it waits for running programs and then ends.
 */
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { FromLauncher, ToLauncher } from "./launcher-interface.ts";
import { startProgram } from "./start-program.ts";

const running = new Map<number, ChildProcess>();

function tell(message: FromLauncher, sent: () => void = () => undefined): void {
  // The host is gone; output is still read so that the program does not block.
  if (process.connected) process.send?.(message, undefined, undefined, sent);
  else sent();
}

/** One chunk after the other, so that no more is waiting here than the host can take. */
function pass(id: number, kind: "stdout" | "stderr", stream: Readable | null): void {
  stream?.on("data", (bytes: Buffer) => {
    stream.pause();
    tell({ kind, id, bytes }, () => stream.resume());
  });
}

process.on("message", (message: ToLauncher) => {
  if (message.kind === "kill") {
    running.get(message.id)?.kill(message.signal);
    return;
  }
  const { id, program } = message;
  const child = startProgram(program, (end) => {
    running.delete(id);
    tell({ kind: "end", id, end });
  });
  if (child?.pid === undefined) return;
  running.set(id, child);
  tell({ kind: "started", id, pid: child.pid });
  pass(id, "stdout", child.stdout);
  pass(id, "stderr", child.stderr);
});
// A terminal's signals are handled by the host.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.once("disconnect", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeAllListeners(signal);
});

tell({ kind: "ready" });
