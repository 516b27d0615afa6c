/** A worker whose hosts have another version: it ends what it holds, and the program of a host runs in its place. */
import { setTimeout as pause } from "node:timers/promises";
import { fetchProgram } from "../../places/machine/host-program.ts";
import { JoinRefused } from "../../places/machine/host-request.ts";
import type { Machine } from "../../places/machine/machine.ts";
import { machineProtocol, type OfferedProgram } from "../../places/machine-contract.ts";

const lookMs = 200;
const retryMs = 15_000;

/** A host, and where what this machine has for it is. */
export interface JoinedHost {
  readonly address: URL;
  readonly folder: string;
  /** What it offers as the program of machines: null, nothing; undefined, it is not connected. */
  program?: OfferedProgram | null | undefined;
}

interface Wanted {
  readonly host: Omit<JoinedHost, "program">;
  readonly program: OfferedProgram;
}

/** Null: a host that is connected has this version, or says nothing of it. So hosts of two versions do not change it in turns. */
export function wantedBy(hosts: readonly JoinedHost[]): Wanted | null {
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
  let failed: OfferedProgram | null = null;
  let nextTryAt = 0;
  for (; !signal.aborted; await pause(lookMs)) {
    const wanted = wantedBy(hosts);
    if (wanted === null) continue;
    const { host, program } = wanted;
    // A host that is connected again may serve something else.
    if (failed === program && performance.now() < nextTryAt) continue;
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
      failed = program;
      nextTryAt = performance.now() + retryMs;
    }
  }
  return null;
}
