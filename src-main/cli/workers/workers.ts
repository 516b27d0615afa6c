/** `hox workers`: reads and writes what the host knows of workers; the host follows within seconds. */
import { contactOf } from "#shared/domain/places/lease.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import { hasPlaces, openPlaces, type PlacesDatabase, placesFile } from "../../places/places-database.ts";
import { defaultWorkerPort, type MachineRow } from "../../places/places-interface.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { unknownName } from "../command-table.ts";
import { consent } from "../consent.ts";
import { print, printJson, show } from "../output.ts";

function withPlaces<T>(work: (database: PlacesDatabase) => T): T {
  const database = openPlaces(placesFile(defaultStateFolder()), () => Date.now());
  try {
    return work(database);
  } finally {
    database.close();
  }
}

export async function explainWorker(): Promise<ExitCode> {
  throw new CommandError(
    "Which host is this machine to work for?",
    "On the host: hox workers invite. It prints the command for this machine.",
    exitCode.usage,
  );
}

export async function listWorkers(options: CommonOptions): Promise<ExitCode> {
  if (!hasPlaces(defaultStateFolder())) {
    show(options, null, "No workers. To use another machine: hox workers invite");
    return exitCode.done;
  }
  return withPlaces(({ machines, places }) => {
    const now = Date.now();
    const held = places.held().filter(({ expiresAt }) => expiresAt > now);
    for (const machine of machines.all()) {
      const here = held.filter((one) => one.machine === machine.id);
      const contact = machine.heardAt === null ? "gone" : contactOf(machine.heardAt, now);
      if (options.json)
        printJson({
          kind: "worker",
          ...{ name: machine.name, state: machine.state, contact, heardAt: machine.heardAt },
          ...machine.about,
          places: here.map(({ repository, run, worker, epoch, grantedAt }) => ({
            ...{ repository, run, worker, epoch, grantedAt },
          })),
        });
      else {
        print(machineLine(machine, contact, here.length, now));
        for (const { worker, repository, grantedAt } of here)
          print(`  ${shownName(worker)} in ${shownName(repository)}, for ${formatDuration(now - grantedAt)}`);
      }
    }
    if (!options.json && machines.all().length === 0)
      print("No workers. To use another machine: hox workers invite");
    return exitCode.done;
  });
}

function formatDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

function machineLine(
  { name, state, about, heardAt }: MachineRow,
  contact: string,
  held: number,
  now: number,
): string {
  const seen =
    contact === "connected"
      ? state
      : heardAt === null
        ? "never connected"
        : `${contact}, last seen ${formatDuration(now - heardAt)} ago`;
  if (about === null) return `${shownName(name)}  ${seen}`;
  const sandbox =
    about.isolation.kind === "none" ? "no sandbox, so no work" : shownLine(about.isolation.summary);
  return `${shownName(name)}  ${seen}  ${held} of ${about.capacity} places  ${shownLine(about.labels.join(", "))}  ${sandbox}`;
}

export async function inviteWorker(options: CommonOptions): Promise<ExitCode> {
  const invitation = withPlaces(({ machines }) => machines.invite());
  const address = `ws://127.0.0.1:${defaultWorkerPort}`;
  show(options, { kind: "invitation", invitation, address }, [
    `On the other machine, within an hour:\n\n  hox worker join ${address} --invitation ${invitation}\n`,
    `Hox listens on 127.0.0.1 only, while it runs. From another machine, give the address of a proxy with TLS (wss://…),`,
    `or first open a tunnel there: ssh -N -L ${defaultWorkerPort}:127.0.0.1:${defaultWorkerPort} <this machine>`,
  ]);
  return exitCode.done;
}

export async function setWorkerState(
  name: string,
  state: MachineRow["state"],
  options: CommonOptions,
): Promise<ExitCode> {
  withPlaces(({ machines }) => machines.setState(machineNamed(machines.all(), name).id, state));
  show(
    options,
    { kind: "done", name, state },
    state === "draining" ? `${shownName(name)} gets nothing new.` : `${shownName(name)} gets work again.`,
  );
  return exitCode.done;
}

/** @param name null: all */
export async function removeWorker(
  name: string | null,
  options: CommonOptions & { readonly yes?: boolean },
): Promise<ExitCode> {
  const found = withPlaces(({ machines }) =>
    name === null ? machines.all() : [machineNamed(machines.all(), name)],
  );
  if (found.length === 0) {
    show(options, { kind: "done", removed: [] }, "No workers.");
    return exitCode.done;
  }
  const names = found.map((one) => shownName(one.name)).join(", ");
  await consent(options, `Remove ${names}? Their keys stop working, and their agents continue elsewhere.`);
  withPlaces(({ machines }) => {
    for (const { id } of found) machines.remove(id);
  });
  show(options, { kind: "done", removed: found.map((one) => one.name) }, `Removed ${names}.`);
  return exitCode.done;
}

function machineNamed(all: readonly MachineRow[], name: string): MachineRow {
  const found = all.find((one) => one.name === name);
  if (found) return found;
  throw unknownName(
    `No worker named ${shownName(name)}.`,
    name,
    all.map((one) => one.name),
  );
}
