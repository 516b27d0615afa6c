/** `hox worker join`: this machine offers places to a host. */
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { writeFileAtomically } from "../../config/atomic-file.ts";
import { tryLock } from "../../config/file-lock.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { onEndSignal, reportUnhandledErrors } from "../../end-signals.ts";
import {
  type Credentials,
  credentials,
  enrol,
  hostAddress,
  JoinRefused,
  serveHost,
} from "../../places/machine/join-host.ts";
import { createMachine } from "../../places/machine/machine.ts";
import { type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { print, printError, printJson } from "../output.ts";

interface JoinOptions extends CommonOptions {
  readonly address: string;
  readonly invitation?: string;
  readonly name?: string;
  readonly labels?: string;
  readonly places?: number;
}

export async function joinAsWorker(given: JoinOptions): Promise<ExitCode> {
  reportUnhandledErrors(printError);
  const address = hostAddress(given.address);
  const folder = join(defaultStateFolder(), "worker", address.host.replaceAll(/[^\w.-]/gu, "_"));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = tryLock(join(folder, "lock"));
  if (unlock === null)
    throw new JoinRefused(
      `Another hox worker join for ${address.host} runs on this machine with the same state folder.`,
      "Give that one more --places, or set HOX_STATE to another folder and join with another invitation.",
    );
  try {
    return await joinHost(address, folder, given);
  } finally {
    unlock();
  }
}

async function joinHost(address: URL, folder: string, given: JoinOptions): Promise<ExitCode> {
  const name =
    given.name ??
    hostname()
      .replaceAll(/[^\w.-]/gu, "-")
      .slice(0, 100);
  const known = await credentialsFor(address, folder, name, given.invitation);
  const machine = await createMachine({
    folder,
    name,
    labels: (given.labels ?? "").split(",").flatMap((label) => label.trim() || []),
    capacity: given.places ?? 4,
    print: printError,
  });
  const { labels, capacity, isolation } = machine.about;
  if (given.json) printJson({ kind: "worker", name, labels, capacity, isolation });
  else
    print(
      `Worker ${name}: ${capacity} places, labels ${labels.join(", ")}.\nCommands: ${isolation.summary}.${isolation.kind === "none" ? " Without a sandbox it gets no work: see `hox doctor`." : ""}\nPress Ctrl-C to leave; its places move elsewhere.`,
    );
  const stop = new AbortController();
  onEndSignal(
    () => stop.abort(),
    (code) => process.exit(code),
  );
  try {
    await serveHost(machine, address, known, { signal: stop.signal, print: given.json ? printError : print });
  } finally {
    await machine.close();
  }
  return exitCode.done;
}

/**
 * With an invitation, new ones, which are kept for the next time; else those that are kept. A service that always gives the
 * invitation with which it joined first joins with its key later.
 */
async function credentialsFor(
  address: URL,
  folder: string,
  name: string,
  invitation: string | undefined,
): Promise<Credentials> {
  const path = join(folder, "key.json");
  const text = readBoundedFileOrNull(path, 10_000);
  const kept = text === null ? null : credentials.parse(JSON.parse(text));
  if (invitation === undefined) {
    if (kept !== null) return kept;
    throw new JoinRefused(
      `This machine is not enrolled at ${address.host}.`,
      "Make an invitation on the host with `hox workers invite`, and give it with --invitation.",
    );
  }
  try {
    const enrolled = await enrol(address, invitation, name);
    await writeFileAtomically(path, JSON.stringify(enrolled));
    return enrolled;
  } catch (error) {
    if (kept !== null && error instanceof JoinRefused) return kept;
    throw error;
  }
}
