/** `hox worker join`: this machine offers places to a host. */
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { agentTexts } from "#shared/domain/places/machine-view.ts";
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
import { createMachine, type Machine } from "../../places/machine/machine.ts";
import { type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { print, printError, show } from "../output.ts";

interface JoinOptions extends CommonOptions {
  readonly addresses: readonly string[];
  readonly invitation?: string;
  readonly name?: string;
  readonly labels?: string;
  readonly places?: number;
  /** Micro-dollars. */
  readonly costPerHour?: number;
}

/** A host, and where what this machine has for it is. */
interface JoinedHost {
  readonly address: URL;
  readonly folder: string;
}

export async function joinAsWorker(given: JoinOptions): Promise<ExitCode> {
  reportUnhandledErrors(printError);
  const hosts = given.addresses.map(hostAddress).map((address) => ({
    address,
    folder: join(defaultStateFolder(), "worker", address.host.replaceAll(/[^\w.-]/gu, "_")),
  }));
  const unlocks: (() => void)[] = [];
  try {
    for (const host of hosts) unlocks.push(await lock(host));
    return await joinHosts(hosts, given);
  } finally {
    for (const unlock of unlocks) unlock();
  }
}

async function lock({ address, folder }: JoinedHost): Promise<() => void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = tryLock(join(folder, "lock"));
  if (unlock !== null) return unlock;
  throw new JoinRefused(
    `Another hox worker join for ${address.host} runs on this machine with the same state folder.`,
    "Give that one more --places, or set HOX_STATE to another folder and join with another invitation.",
  );
}

/** Each host has its own places here, and its own clock of their leases; how many there may be in all, the hosts' pool knows. */
async function joinHosts(hosts: readonly JoinedHost[], given: JoinOptions): Promise<ExitCode> {
  const name =
    given.name ??
    hostname()
      .replaceAll(/[^\w.-]/gu, "-")
      .slice(0, 100);
  const known = await credentialsFor(hosts, name, given.invitation);
  const machines: Machine[] = [];
  for (const { folder } of hosts)
    machines.push(
      await createMachine({
        ...{ folder, name, print: printError },
        labels: (given.labels ?? "").split(",").flatMap((label) => label.trim() || []),
        capacity: given.places ?? 4,
        ...(given.costPerHour === undefined ? {} : { hourlyMicroDollars: given.costPerHour }),
      }),
    );
  printOffer(name, machines[0] as Machine, given);
  const stop = new AbortController();
  onEndSignal(
    () => stop.abort(),
    (code) => process.exit(code),
  );
  const options = { signal: stop.signal, print: given.json ? printError : print };
  const served = hosts.map(({ address }, at) => serveHost(machines[at] as Machine, address, known, options));
  try {
    await Promise.all(served);
  } finally {
    stop.abort();
    await Promise.allSettled(served);
    for (const machine of machines) await machine.close();
  }
  return exitCode.done;
}

function printOffer(name: string, { about }: Machine, given: CommonOptions): void {
  const { labels, capacity, isolation } = about;
  const agents = agentTexts({ about });
  show(
    given,
    { kind: "worker", name, labels, capacity, isolation, agents },
    `Worker ${name}: ${capacity} places, labels ${labels.join(", ")}${agents.length === 0 ? "" : `, agents ${agents.join(", ")}`}.\nCommands: ${isolation.summary}.${isolation.kind === "none" ? " Without a sandbox it gets no work: see `hox doctor`." : ""}\nPress Ctrl-C to leave; its places move elsewhere.`,
  );
}

/**
 * With an invitation, new ones, which are kept for the next time; else those that are kept. A service that always gives the
 * invitation with which it joined first joins with its key later. Hosts of one pool take the same key.
 */
async function credentialsFor(
  hosts: readonly JoinedHost[],
  name: string,
  invitation: string | undefined,
): Promise<Credentials> {
  const [first] = hosts as readonly [JoinedHost];
  const texts = hosts.flatMap(({ folder }) => readBoundedFileOrNull(join(folder, "key.json"), 10_000) ?? []);
  const kept = texts[0] === undefined ? null : credentials.parse(JSON.parse(texts[0]));
  if (invitation === undefined) {
    if (kept !== null) return kept;
    throw new JoinRefused(
      `This machine is not enrolled at ${first.address.host}.`,
      "Make an invitation on the host with `hox workers invite`, and give it with --invitation.",
    );
  }
  try {
    const enrolled = await enrol(first.address, invitation, name);
    await writeFileAtomically(join(first.folder, "key.json"), JSON.stringify(enrolled));
    return enrolled;
  } catch (error) {
    if (kept !== null && error instanceof JoinRefused) return kept;
    throw error;
  }
}
