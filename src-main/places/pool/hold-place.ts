/**
 * The queue for places: a workflow of DBOS for each, which waits in the queue of its label, is granted a machine, and ends when
 * the place is free again. It touches the database alone, so any host of the pool may run that of another one.
 */
import { DBOS, type WorkflowStatus } from "@dbos-inc/dbos-sdk";
import { contactOf, type LeaseTimes } from "#shared/domain/places/lease.ts";
import { machineOf } from "../places-database.ts";
import type { Leases, PlaceRequest } from "./pool-leases.ts";
import type { Postgres } from "./postgres.ts";

/** Hosts of another version of the workflow leave its entries alone. */
const workflowVersion = "hox-places-1";

const workflowName = "holdPlace";
const pollMs = 100;
const dayMs = 24 * 60 * 60_000;

/** Where a host is with a place, so that tests can end it there. */
export type Step = "enqueued" | "claimed" | "recorded" | "told" | "granted" | "freed";

interface QueueParts {
  readonly postgres: Postgres;
  readonly leases: Leases;
  /** Id of this host, by which it finds its own entries again. */
  readonly host: string;
  readonly hostName: string;
  readonly times: LeaseTimes;
  readonly reached: (step: Step) => void;
  /** What DBOS has to say of its troubles. */
  readonly warn: (text: string) => void;
}

/** A process has one DBOS, and it takes workflows only before its start. */
let parts: QueueParts | null = null;
let holdPlace: ((request: PlaceRequest) => Promise<void>) | null = null;

/** How often this process runs an entry: one that it lost and got back, twice for a moment. */
const running = new Map<string, number>();
const count = (entry: string, more: 1 | -1): void => {
  const now = (running.get(entry) ?? 0) + more;
  if (now === 0) running.delete(entry);
  else running.set(entry, now);
};

async function hold(request: PlaceRequest): Promise<void> {
  const entry = entryOf(request);
  count(entry, 1);
  try {
    await grantAndHold(request);
  } finally {
    count(entry, -1);
  }
}

async function grantAndHold(request: PlaceRequest): Promise<void> {
  if (parts === null) throw new Error("This host has left the pool.");
  const { leases, reached } = parts;
  const isGranted = await DBOS.runStep(
    async () => {
      const row = await leases.claimWhenRoom(request, () => parts === null);
      reached("claimed");
      return row !== null;
    },
    { name: "claim" },
  );
  reached("recorded");
  await DBOS.setEvent("granted", isGranted);
  reached("told");
  while (isGranted && (await DBOS.recv("freed", { timeoutSeconds: dayMs / 1_000 })) === null);
}

const entryOf = ({ place, epoch }: Pick<PlaceRequest, "place" | "epoch">): string => `${place}/${epoch}`;
const queueOf = (label: string): string => `label ${label}`;

export type PlaceQueue = Awaited<ReturnType<typeof joinQueue>>;

/** Starts DBOS, which takes back the entries that this host ran before it was killed. */
export async function joinQueue(given: QueueParts) {
  const { postgres, leases, host, hostName, times, warn } = given;
  parts = given;
  holdPlace ??= DBOS.registerWorkflow(hold, { name: workflowName });
  const start = holdPlace;
  const quiet = (): void => undefined;
  DBOS.setConfig({
    name: "hox",
    systemDatabasePool: postgres.connections,
    systemDatabaseSchemaName: "hox_queue",
    executorID: host,
    applicationVersion: workflowVersion,
    logger: {
      info: quiet,
      debug: quiet,
      warn: (text) => warn(String(text)),
      error: (text) => warn(String(text)),
    },
  });
  const sayAlive = (): Promise<void> =>
    postgres.transaction(async (ask, now) => {
      await ask(
        "INSERT INTO hox.host VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET name = $2, heard_at = $3",
        [host, hostName, now],
      );
      await ask("DELETE FROM hox.host WHERE heard_at <= $1", [now - 30 * dayMs]);
    });
  await sayAlive();
  await DBOS.launch();

  const capacities = new Map<string, number>();
  /**
   * As many entries of a label are out of the queue as its machines have places, and those that hold places of machines which
   * get nothing new. Which machine has room is seen in the leases.
   */
  const fitQueues = async (labels: Iterable<string>): Promise<void> => {
    const { machines, held } = await postgres.transaction(async (ask, now) => ({
      machines: (
        await ask("SELECT * FROM hox.machine WHERE state = 'active' AND heard_at > $1", [now - times.goneMs])
      ).map(machineOf),
      held: await ask("SELECT machine FROM hox.place WHERE machine IS NOT NULL AND expires_at > $1", [now]),
    }));
    const elsewhere = held.filter((place) => !machines.some(({ id }) => id === place.machine)).length;
    for (const label of labels) {
      const capacity = machines.reduce(
        (sum, { about }) => sum + (about?.labels.includes(label) ? about.capacity : 0),
        elsewhere,
      );
      if (capacities.get(label) === capacity) continue;
      await DBOS.registerQueue(queueOf(label), {
        ...{ globalConcurrency: capacity, minPollingIntervalMs: pollMs },
        onConflict: "always_update",
      });
      capacities.set(label, capacity);
    }
  };
  const lookAfter = async (): Promise<void> => {
    await sayAlive();
    await leases.freeEnded();
    const labels = [...capacities.keys()];
    // Another host may have written what it saw earlier.
    capacities.clear();
    await fitQueues(labels);
    unheard = await endOrContinue(given, unheard);
  };
  let unheard: ReadonlySet<string> = new Set();
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= lookAfter()
      .catch((error: unknown) => warn(String(error)))
      .finally(() => {
        looking = null;
      });
  }, times.heartbeatMs);
  timer.unref();

  return {
    /** Waits in the queue. @returns whether it was granted; null: not within the time */
    async enter(request: PlaceRequest, priority: number, maxWaitMs: number): Promise<boolean | null> {
      await fitQueues([request.label]);
      const workflowID = entryOf(request);
      await DBOS.startWorkflow(start, {
        ...{ workflowID, queueName: queueOf(request.label), enqueueOptions: { priority } },
      })(request);
      given.reached("enqueued");
      return DBOS.getEvent<boolean>(workflowID, "granted", {
        ...{ timeoutSeconds: maxWaitMs / 1_000, pollingIntervalMs: pollMs },
      });
    },
    /** Nobody waits for these: what an entry does not hear of its end is seen in the leases. */
    leave: (request: PlaceRequest): void =>
      void DBOS.cancelWorkflow(entryOf(request)).catch((error: unknown) => warn(String(error))),
    freed: (of: Pick<PlaceRequest, "place" | "epoch">): void =>
      void DBOS.send(entryOf(of), true, "freed").catch((error: unknown) => warn(String(error))),
    async close(): Promise<void> {
      clearInterval(timer);
      await looking;
      await DBOS.shutdown({ workflowCompletionTimeoutMS: 0 });
      parts = null;
    },
  };
}

/**
 * Ends entries whose place is free again, and continues those of hosts that are gone. Each may be done twice.
 * @param before what it has answered the last time
 * @returns entries of this host that it does not run: it has not begun them yet, or was never told that they are its own,
 *   because the connection broke
 */
async function endOrContinue(
  { postgres, times, host }: QueueParts,
  before: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const open = await DBOS.listWorkflows({ workflowName, status: ["ENQUEUED", "PENDING"], loadInput: false });
  const { ended, left } = await postgres.transaction(async (ask, now) => {
    const hosts = new Map((await ask("SELECT * FROM hox.host")).map((row) => [row.id, Number(row.heard_at)]));
    const places = new Map(
      (await ask("SELECT id, epoch, machine FROM hox.place")).map((row) => [row.id, row]),
    );
    const isOver = ({ workflowID }: WorkflowStatus): boolean => {
      const [place = "", epoch] = workflowID.split("/");
      const row = places.get(place);
      return (
        row !== undefined &&
        (Number(row.epoch) > Number(epoch) || (Number(row.epoch) === Number(epoch) && row.machine === null))
      );
    };
    const isLeft = ({ status, executorId, workflowID }: WorkflowStatus): boolean =>
      status === "PENDING" &&
      (executorId === host
        ? before.has(workflowID) && !running.has(workflowID)
        : contactOf(hosts.get(executorId ?? "") ?? 0, now, times) === "gone");
    return { ended: open.filter(isOver), left: open.filter((one) => !isOver(one) && isLeft(one)) };
  });
  for (const { workflowID } of ended) await DBOS.cancelWorkflow(workflowID);
  for (const { workflowID, queueName } of left)
    await DBOS.resumeWorkflow(workflowID, queueName === undefined ? {} : { queueName });
  const old = await DBOS.listWorkflows({
    ...{ workflowName, status: ["SUCCESS", "CANCELLED", "ERROR"], loadInput: false, limit: 1_000 },
    endTime: new Date(Date.now() - dayMs).toISOString(),
  });
  if (old.length > 0) await DBOS.deleteWorkflows(old.map(({ workflowID }) => workflowID));
  const own = open.filter(({ status, executorId }) => status === "PENDING" && executorId === host);
  return new Set(own.flatMap(({ workflowID }) => (running.has(workflowID) ? [] : workflowID)));
}
