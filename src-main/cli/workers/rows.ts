/** Other machines on which agents work. */
import { oneLine } from "../command-line.ts";
import { type CommandRow, isConfirmed, row } from "../command-table.ts";
import { joinRows } from "./join-rows.ts";

const worker = ["name from `hox workers`", oneLine] as const;

export const workerRows: readonly CommandRow[] = [
  ...joinRows,
  row("workers", "list workers: labels, places, which agents work there", {}, async (given) =>
    (await import("./workers.ts")).listWorkers(given),
  ),
  row("workers list", "list workers: labels, places, which agents work there", {}, async (given) =>
    (await import("./workers.ts")).listWorkers(given),
  ),
  row(
    "workers invite",
    "make an invitation with which one machine can join, once, within an hour",
    {},
    async (given) => (await import("./workers.ts")).inviteWorker(given),
  ),
  row(
    "workers drain",
    "give a worker nothing new; agents there continue",
    { "<name>": worker },
    async (given) => (await import("./workers.ts")).setWorkerState(given.name, "draining", given),
  ),
  row("workers resume", "give a drained worker work again", { "<name>": worker }, async (given) =>
    (await import("./workers.ts")).setWorkerState(given.name, "active", given),
  ),
  row(
    "workers remove",
    "revoke a worker's key; agents there continue elsewhere",
    { "<name>": worker, "-y, --yes": isConfirmed },
    async (given) => (await import("./workers.ts")).removeWorker(given.name, given),
  ),
  row(
    "workers stop",
    "remove all workers; agents there continue on this machine",
    { "-y, --yes": isConfirmed },
    async (given) => (await import("./workers.ts")).removeWorker(null, given),
  ),
];
