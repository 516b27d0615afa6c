/** A worker whose hosts have another version: it ends what it holds, and the program of a host runs in its place. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { onEndSignal } from "../../end-signals.ts";
import { fetchProgram } from "../../places/machine/host-program.ts";
import { JoinRefused } from "../../places/machine/host-request.ts";
import type { Machine } from "../../places/machine/machine.ts";
import { machineProtocol, type OfferedProgram } from "../../places/machine-contract.ts";
import { exitCode } from "../command-line.ts";
import type { JoinedHost } from "./join.ts";

const lookMs = 200;
const retryMs = 15_000;

interface Wanted {
  readonly host: JoinedHost;
  readonly program: OfferedProgram;
}

/** Null: a host that is connected has this version, or says nothing of it. So hosts of two versions do not change it in turns. */
function wantedBy(hosts: readonly JoinedHost[]): Wanted | null {
  const connected = hosts.flatMap(({ program, ...host }) => (program === undefined ? [] : { host, program }));
  const offers = connected.flatMap(({ host, program }) => (program === null ? [] : { host, program }));
  const isUpToDate = connected.some(
    ({ program }) => program === null || program.protocol === machineProtocol,
  );
  return isUpToDate ? null : (offers[0] ?? null);
}

/**
 * Waits until the connected hosts have another version and this machine holds nothing.
 * @returns the file of their program; null: the signal came first
 */
export async function untilReplaced(
  hosts: readonly JoinedHost[],
  machines: readonly Pick<Machine, "held">[],
  authorization: string,
  { signal, print }: { readonly signal: AbortSignal; readonly print: (line: string) => void },
): Promise<string | null> {
  let said = "";
  const say = (line: string): void => {
    if (line !== said) print(line);
    said = line;
  };
  let failed: { readonly program: OfferedProgram; readonly nextTryAt: number } | null = null;
  for (; !signal.aborted; await pause(lookMs)) {
    const wanted = wantedBy(hosts);
    if (wanted === null) continue;
    const { host, program } = wanted;
    // A host that is connected again may serve something else.
    if (failed?.program === program && performance.now() < failed.nextTryAt) continue;
    const name = `version ${program.protocol} of the worker`;
    if (machines.some((machine) => machine.held() > 0)) {
      say(
        `${host.address.host} has ${name}, this one is ${machineProtocol}: it restarts when its places end.`,
      );
      continue;
    }
    try {
      const file = await fetchProgram(host.address, authorization, program, host.folder);
      say(`Restarting as ${name}, from ${host.address.host}; this one was ${machineProtocol}.`);
      return file;
    } catch (error) {
      const { message } = error as Error;
      say(error instanceof JoinRefused ? `${message} ${error.remedy}` : message);
      failed = { program, nextTryAt: performance.now() + retryMs };
    }
  }
  return null;
}

/** Says to a program that the one who started it starts the next one, too: whatever else started it does not. */
const starterVariable = "HOX_WORKER_STARTER";

interface Ended {
  readonly code: number;
  /** The program that it asks for in its place. */
  readonly next: string | null;
}

/** Lets a program run with the arguments of this one, and ends with its exit code. */
export async function startInPlace(program: string): Promise<number> {
  if (isStartedInPlace()) {
    await new Promise<unknown>((resolve) => process.send?.({ next: program }, resolve));
    return exitCode.done;
  }
  for (let file = program; ; ) {
    const { code, next } = await runToEnd(file);
    if (next === null) return code;
    file = next;
  }
}

const isStartedInPlace = (): boolean =>
  process.connected && process.env[starterVariable] === String(process.ppid);

/** Ends a program that was started in place of another once that is gone. */
export function onStarterGone(end: () => void): void {
  if (isStartedInPlace()) process.once("disconnect", end);
}

function runToEnd(file: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, file, ...process.argv.slice(2)], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { ...process.env, [starterVariable]: String(process.pid) },
    });
    let next: string | null = null;
    child.on("message", (message: { readonly next?: unknown }) => {
      if (typeof message.next === "string") next = message.next;
    });
    // What a terminal sends reaches both; so soon, the program takes it for the same wish.
    onEndSignal(
      () => child.kill("SIGTERM"),
      () => child.kill("SIGTERM"),
    );
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), next }),
    );
  });
}
