/** `hox workers`: reads and writes what the host knows of workers; the host follows within seconds. */
import {
  agentTexts,
  hourlyCost,
  isDirect,
  type MachineView,
  machineStatus,
} from "#shared/domain/places/machine-view.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import { inviteMachine, machineViews } from "../../places/fleet.ts";
import { mayHavePlaces, openHostPlaces } from "../../places/open-places.ts";
import type { MachineRow, PlacesDatabase } from "../../places/places-interface.ts";
import { servedAt } from "../../transport/serving-note.ts";
import { type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { unknownName } from "../command-table.ts";
import { consent } from "../consent.ts";
import { print, printJson, show } from "../output.ts";

async function withPlaces<T>(work: (database: PlacesDatabase) => T | Promise<T>): Promise<T> {
  const database = await openHostPlaces(defaultStateFolder());
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const noWorkers = "No workers. To use another machine: hox workers invite";

export async function listWorkers(options: CommonOptions): Promise<ExitCode> {
  const now = Date.now();
  const { machines, pool } = mayHavePlaces(defaultStateFolder())
    ? await withPlaces(async (places) => ({
        machines: await machineViews(places, now),
        pool: places.pool?.name ?? null,
      }))
    : { machines: [], pool: null };
  if (pool !== null && options.json) printJson({ kind: "pool", name: pool });
  else if (pool !== null) print(`Pool on ${shownName(pool)}, shared with other hosts.`);
  for (const machine of machines)
    if (options.json) {
      const { id: _, about, ...shown } = machine;
      printJson({ kind: "worker", ...shown, ...about });
    } else {
      print(machineLine(machine, now));
      for (const { worker, checkout, repository, grantedAt } of machine.places)
        print(
          `  ${checkout === null ? "" : "checks for "}${shownName(worker)} in ${shownName(repository)}, for ${formatDuration(now - grantedAt)}`,
        );
      for (const { host, held } of machine.others)
        print(`  ${counted(held, "agent")} of host ${shownName(host)}`);
    }
  if (machines.length === 0 && !options.json) print(noWorkers);
  return exitCode.done;
}

function formatDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

function machineLine(machine: MachineView, now: number): string {
  const { name, contact, about, heardAt, problem, held } = machine;
  const isAway = heardAt !== null && contact !== "connected";
  const seen = `${machineStatus(machine)}${isAway ? `, last seen ${formatDuration(now - heardAt)} ago` : ""}`;
  if (about === null) return `${shownName(name)}  ${seen}`;
  const price = hourlyCost([machine]);
  const agents = agentTexts(about.agents);
  const sandbox = problem === "no sandbox" ? "no sandbox, so no work" : shownLine(about.isolation.summary);
  return [
    `${shownName(name)}  ${seen}  ${held} of ${about.capacity} places  ${shownLine(about.labels.join(", "))}  ${sandbox}`,
    ...(agents.length === 0 ? [] : [shownLine(agents.join(", "))]),
    ...(price === "" ? [] : [price]),
  ].join("  ");
}

export async function inviteWorker(options: CommonOptions): Promise<ExitCode> {
  const direct = await servedAt(defaultStateFolder(), "workers");
  const { expiresAt: _, ...invited } = await withPlaces((places) =>
    inviteMachine(places, direct, Date.now()),
  );
  const how = isDirect(invited)
    ? ""
    : ", through a tunnel, or with the address of a proxy with TLS (wss://…)";
  show(options, { kind: "invitation", ...invited }, [
    `While Hox runs here, within an hour. Over SSH, from this machine:\n\n  ${invited.overSsh}\n`,
    `On the other machine${how}:\n\n  ${invited.command}`,
    ...(invited.withoutHox === null
      ? []
      : [
          `\nOr there without Hox, with Node 22.13 or later, Git and, on Linux, bubblewrap:\n\n  ${invited.withoutHox}`,
        ]),
  ]);
  return exitCode.done;
}

export async function setWorkerState(
  name: string,
  state: MachineRow["state"],
  options: CommonOptions,
): Promise<ExitCode> {
  await withPlaces(async ({ machines }) =>
    machines.setState(machineNamed(await machines.all(), name).id, state),
  );
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
  const found = await withPlaces(async ({ machines }) =>
    name === null ? machines.all() : [machineNamed(await machines.all(), name)],
  );
  if (found.length === 0) {
    show(options, { kind: "done", removed: [] }, "No workers.");
    return exitCode.done;
  }
  const names = found.map((one) => shownName(one.name)).join(", ");
  await consent(options, `Remove ${names}? Their keys stop working, and their agents continue elsewhere.`);
  await withPlaces(async ({ machines }) => {
    for (const { id } of found) await machines.remove(id);
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
