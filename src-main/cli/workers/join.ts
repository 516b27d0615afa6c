/** `hox worker join`: this machine offers places to a host. */
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../config/atomic-file.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { onEndSignal, reportUnhandledErrors } from "../../end-signals.ts";
import {
  type Credentials,
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

const credentials = z.object({ id: z.string(), key: z.string() });

export async function joinAsWorker(given: JoinOptions): Promise<ExitCode> {
  reportUnhandledErrors(printError);
  const address = hostAddress(given.address);
  const folder = join(defaultStateFolder(), "worker", address.host.replaceAll(/[^\w.-]/gu, "_"));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const known = await credentialsFor(address, folder, given);
  const name = given.name ?? hostname();
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
  { invitation, name }: JoinOptions,
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
    const enrolled = await enrol(address, invitation, name ?? hostname());
    await writeFileAtomically(path, JSON.stringify(enrolled));
    return enrolled;
  } catch (error) {
    if (kept !== null && error instanceof JoinRefused) return kept;
    throw error;
  }
}
