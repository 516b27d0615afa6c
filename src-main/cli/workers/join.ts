/** `hox worker join`: this machine offers places to a host. */
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { agentTexts } from "#shared/domain/places/machine-view.ts";
import { writeFileAtomically } from "../../config/atomic-file.ts";
import { tryLock } from "../../config/file-lock.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import { findTool } from "../../config/tools.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { onEndSignal, reportUnhandledErrors } from "../../end-signals.ts";
import { hostAddress, JoinRefused } from "../../places/machine/host-request.ts";
import {
  authorizationOf,
  type Credentials,
  credentials,
  enrol,
  serveHost,
} from "../../places/machine/join-host.ts";
import { createMachine, type Machine } from "../../places/machine/machine.ts";
import { onStarterGone, startInPlace } from "../../processes/run-in-place.ts";
import { type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { print, printError, show } from "../output.ts";
import { type JoinedHost, untilReplaced } from "./replace-worker.ts";

interface JoinOptions extends CommonOptions {
  readonly addresses: readonly string[];
  readonly invitation?: string;
  readonly name?: string;
  readonly labels?: string;
  readonly places?: number;
  /** Micro-dollars. */
  readonly costPerHour?: number;
}

export async function joinAsWorker(given: JoinOptions): Promise<ExitCode> {
  reportUnhandledErrors(printError);
  const git = findTool("git");
  if (!git.found) throw new JoinRefused("git was not found.", git.remedy);
  const hosts: readonly JoinedHost[] = given.addresses.map(hostAddress).map((address) => ({
    address,
    folder: join(defaultStateFolder(), "worker", address.host.replaceAll(/[^\w.-]/gu, "_")),
  }));
  const unlocks: (() => void)[] = [];
  let program: string | null;
  try {
    for (const host of hosts) unlocks.push(await lock(host));
    program = await joinHosts(hosts, given);
  } finally {
    for (const unlock of unlocks) unlock();
  }
  // The program is another version of this command, and ends with its codes.
  return program === null ? exitCode.done : ((await startInPlace(program)) as ExitCode);
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

/**
 * Each host has its own places here, and its own clock of their leases; how many there may be in all, the hosts' pool knows.
 * @returns the program that is to run in place of this one; null: the user has ended it
 */
async function joinHosts(hosts: readonly JoinedHost[], given: JoinOptions): Promise<string | null> {
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
  onStarterGone(() => stop.abort());
  const options = { signal: stop.signal, print: given.json ? printError : print };
  const served = hosts.map((host, at) =>
    serveHost(machines[at] as Machine, host.address, known, {
      ...options,
      offered(program) {
        host.program = program;
      },
    }),
  );
  try {
    return await Promise.race([
      Promise.all(served).then(() => null),
      untilReplaced(hosts, machines, authorizationOf(known), options),
    ]);
  } finally {
    stop.abort();
    await Promise.allSettled(served);
    for (const machine of machines) await machine.close();
  }
}

function printOffer(name: string, { about, agents, sandbox }: Machine, given: CommonOptions): void {
  const { labels, capacity, isolation } = about;
  const tool = findTool("sandbox");
  const missing = `${sandbox} Without one it gets no work.${tool.found ? "" : ` ${tool.remedy}`}`;
  const named = agentTexts(agents);
  const others = named.length === 0 ? "" : `, agents ${named.join(", ")}`;
  show(
    given,
    { kind: "worker", name, labels, capacity, isolation, agents },
    `Worker ${name}: ${capacity} places, labels ${labels.join(", ")}${others}.\n${isolation.kind === "none" ? missing : `Commands: ${isolation.summary}.`}\nPress Ctrl-C to leave; its places move elsewhere.`,
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
