/** What a machine does for its host: holds places, and freezes them before the host can give them to another one. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { implement, ORPCError } from "@orpc/server";
import { createSerial } from "#shared/async/serial.ts";
import { freezesAt, type LeaseTimes, leaseTimes } from "#shared/domain/places/lease.ts";
import { installedAgents } from "../../external-agents/installed-agents.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { type MachineSays, machineContract, machineProtocol } from "../machine-contract.ts";
import { type HeldPlace, holdPlace, removePlaceFolder } from "./held-place.ts";
import { openRepositoryCache, type RepositoryCache, removeUnusedCaches } from "./repository-cache.ts";

export interface MachineOptions {
  /** Where places and caches are kept. */
  readonly folder: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly capacity: number;
  /** What this machine costs in an hour. */
  readonly hourlyMicroDollars?: number;
  /** Milliseconds that never jump. */
  readonly monotonic?: () => number;
  readonly times?: LeaseTimes;
  /** For tests: another one gets nothing. */
  readonly protocol?: number;
  /** Hears what a person at the machine should see. */
  readonly print?: (line: string) => void;
}

/** Those of an earlier life of this machine that had no time to remove them: its host has given them to others since. */
async function removeLeftPlaces(folder: string): Promise<void> {
  const left = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  for (const place of left) await removePlaceFolder(join(folder, place));
}

const agentsHere = () =>
  installedAgents().map(({ name, version }) => ({ name, version: version?.slice(0, 200) ?? null }));

export type Machine = Awaited<ReturnType<typeof createMachine>>;

export async function createMachine({
  folder,
  name,
  labels,
  capacity,
  hourlyMicroDollars,
  monotonic = () => performance.now(),
  times = leaseTimes,
  protocol = machineProtocol,
  print = () => {},
}: MachineOptions) {
  const { isolation } = await createSandbox({ allowUnsandboxed: false });
  const about: MachineSays = {
    ...{ name, capacity, protocol },
    ...(hourlyMicroDollars === undefined ? {} : { hourlyMicroDollars }),
    labels: [...new Set([`${process.platform}-${process.arch}`, ...labels])],
    isolation: { kind: isolation.kind, summary: isolation.summary },
  };
  await removeLeftPlaces(join(folder, "places"));
  await removeUnusedCaches(join(folder, "repositories"));
  const places = new Map<string, HeldPlace>();
  const caches = new Map<string, Promise<RepositoryCache>>();
  const serial = createSerial();
  /** When each answer was sent that the host has not confirmed yet. */
  const sent = new Map<number, number>();
  let answers = 0;
  let frozenAt = Number.NEGATIVE_INFINITY;
  let isFrozen = true;

  const freezeAll = (): void => {
    if (places.size > 0) print(`The host does not answer: ${places.size} places are frozen.`);
    for (const place of places.values()) place.freeze();
  };
  const watch = setInterval(() => {
    if (isFrozen || monotonic() < frozenAt) return;
    isFrozen = true;
    freezeAll();
  }, times.heartbeatMs / 5);
  watch.unref();

  /** @throws ORPCError where the host may have given the place to another machine by now */
  const held = (asked: { readonly place: string; readonly epoch: number }): HeldPlace => {
    const place = places.get(asked.place);
    if (place?.epoch !== asked.epoch)
      throw new ORPCError("CONFLICT", {
        message: `This worker does not hold epoch ${asked.epoch} of the place.`,
      });
    if (monotonic() >= frozenAt)
      throw new ORPCError("CONFLICT", { message: "The lease of this worker has ended." });
    return place;
  };
  const removePlace = (id: string, epoch: number): Promise<void> =>
    serial.run(id, async () => {
      const place = places.get(id);
      // It may have been granted again to this machine meanwhile.
      if (place?.epoch !== epoch) return;
      places.delete(id);
      await place?.remove();
    });
  const placeFolder = (id: string): string => join(folder, "places", id);
  const cacheOf = (repository: string, exclude: string): Promise<RepositoryCache> => {
    const open =
      caches.get(repository) ?? openRepositoryCache(join(folder, "repositories", repository), exclude);
    caches.set(repository, open);
    // The next one who asks may have more luck.
    open.catch(() => caches.delete(repository));
    return open;
  };

  const host = implement(machineContract);
  const router = host.router({
    about: host.about.handler(() => about),
    // What was installed since counts, too.
    agents: host.agents.handler(() => agentsHere()),
    beat: host.beat.handler(async ({ input }) => {
      const confirmedAt = input.confirmed === null ? undefined : sent.get(input.confirmed);
      if (confirmedAt !== undefined) {
        for (const number of sent.keys()) if (number <= (input.confirmed ?? 0)) sent.delete(number);
        frozenAt = Math.max(frozenAt, freezesAt(confirmedAt, times));
        isFrozen = false;
      }
      const wanted = new Map(input.held.map(({ place, epoch }) => [place, epoch]));
      for (const [id, { epoch }] of places)
        if ((wanted.get(id) ?? -1) !== epoch)
          void removePlace(id, epoch).catch((error: unknown) => print(`Could not remove a place: ${error}`));
      answers += 1;
      sent.set(answers, monotonic());
      return { number: answers };
    }),
    hold: host.hold.handler(({ input }) =>
      serial.run(input.place, async () => {
        const cache = await cacheOf(input.repository, input.exclude);
        const commits = [...(await cache.commits())];
        const before = places.get(input.place);
        if (before?.epoch === input.epoch) return { commits, isContinued: true, location: before.location };
        await before?.remove();
        const place = await holdPlace(placeFolder(input.place), cache, input);
        places.set(input.place, place);
        return { commits, isContinued: false, location: place.location };
      }),
    ),
    give: host.give.handler(async ({ input: { repository, ...part } }) => {
      await (await cacheOf(repository, "")).give(part);
    }),
    checkOut: host.checkOut.handler(({ input }) => held(input).checkOut(input.tree)),
    showInGit: host.showInGit.handler(({ input }) => held(input).showInGit(input.commit, input.isFinished)),
    changes: host.changes.handler(({ input }) => held(input).changes(input.since)),
    contents: host.contents.handler(async ({ input }) =>
      (await held(input).contents(input.oids)).map(({ oid, bytes }) => ({
        oid,
        data: bytes.toString("base64"),
      })),
    ),
    file: host.file.handler(({ input }) => held(input).file(input)),
    write: host.write.handler(async function* ({ input }) {
      const outcome = await held(input).file(input);
      yield { outcome };
      if (outcome.ok) yield { sent: await held(input).changes(input.since) };
    }),
    run: host.run.handler(({ input, signal }) => held(input).run(input, signal)),
    takeSetUp: host.takeSetUp.handler(async ({ input }) => ({
      isTaken: await held(input)
        .takeSetUp(input)
        .catch((error: unknown) => {
          print(`Could not copy what set-up commands have made, so they run again: ${error}`);
          return false;
        }),
    })),
    keepSetUp: host.keepSetUp.handler(({ input }) => held(input).keepSetUp(input.key)),
    startAgent: host.startAgent.handler(({ input }) => held(input).agent.start(input)),
    stopAgent: host.stopAgent.handler(({ input }) => held(input).agent.stop()),
    readSessions: host.readSessions.handler(({ input }) => held(input).agent.readSessions()),
    restoreProtected: host.restoreProtected.handler(({ input }) => held(input).agent.restoreProtected()),
    acceptTunnel: host.acceptTunnel.handler(({ input }) => held(input).agent.tunnels()?.accept() ?? null),
    openTunnel: host.openTunnel.handler(({ input }) => ({
      connection: held(input).agent.tunnels()?.connect() ?? 0,
    })),
    readTunnel: host.readTunnel.handler(async ({ input }) => ({
      data: (await held(input).agent.tunnels()?.read(input.connection))?.toString("base64") ?? null,
    })),
    writeTunnel: host.writeTunnel.handler(async ({ input: { connection, data, ...place } }) => {
      const bytes = data === null ? null : Buffer.from(data, "base64");
      return { isOpen: (await held(place).agent.tunnels()?.write(connection, bytes)) ?? false };
    }),
    closeTunnel: host.closeTunnel.handler(({ input }) =>
      held(input).agent.tunnels()?.hangUp(input.connection),
    ),
    cachesLeftOut: host.cachesLeftOut.handler(async ({ input }) => [...(await held(input).cachesLeftOut())]),
  });
  return {
    router,
    about,
    /** Of other makes, as they are installed now. */
    agents: agentsHere(),
    /** What holds commands in here, or why nothing does. */
    sandbox: isolation.description,
    held: (): number => places.size,
    async close(): Promise<void> {
      clearInterval(watch);
      for (const [id, { epoch }] of [...places]) await removePlace(id, epoch);
    },
  };
}
