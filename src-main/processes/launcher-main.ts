/**
 * A process that does nothing but start programs for its host. To start one a system copies what it knows of the
 * memory of whoever asks, and keeps that one waiting: a host with much in memory takes twenty times as long as this.
 *
 * When its host is gone, however that ended, it lets what runs come to its end, and ends as well.
 */
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { FromLauncher, ToLauncher } from "./launcher-interface.ts";
import { startProgram } from "./start-program.ts";

const running = new Map<number, ChildProcess>();

function tell(message: FromLauncher, sent: () => void = () => undefined): void {
  // Nobody is there to hear it: what is read is only read so that whoever writes can go on.
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
// What a terminal tells all of its programs is for the host to answer.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.once("disconnect", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeAllListeners(signal);
});

tell({ kind: "ready" });
