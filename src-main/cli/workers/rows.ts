/** Other machines on which agents work. */
import { InvalidArgumentError } from "commander";
import { microDollars, oneLine, wholeNumber } from "../command-line.ts";
import { type CommandRow, isConfirmed, row } from "../command-table.ts";

const workerName = (value: string): string => {
  if (!/^[\w.-]{1,100}$/u.test(value))
    throw new InvalidArgumentError("Must be letters, digits, dots, dashes and underscores, at most 100.");
  return value;
};

const worker = ["name from `hox workers`", oneLine] as const;

export const workerRows: readonly CommandRow[] = [
  row("worker", "offer this machine to a Hox on another one", {}, async () =>
    (await import("./workers.ts")).explainWorker(),
  ),
  row(
    "worker join",
    "offer places on this machine to a host, until Ctrl-C; agents' commands run here in the sandbox",
    {
      "<addresses...>":
        "of the host, such as wss://hox.example.org, or ws://127.0.0.1:4646 through a tunnel; of each host of a pool",
      "--invitation <text>": ["from `hox workers invite` on the host; needed the first time", oneLine],
      "--name <name>": ["name of this worker (default: the machine's)", workerName],
      "--labels <list>": ["labels besides the platform's, separated by commas, such as gpu,fast", oneLine],
      "--places <n>": ["how many agents may work here at once (default: 4)", wholeNumber(1, 1_000)],
      "--cost-per-hour <dollars>": ["what this machine costs in an hour, to be shown", microDollars],
    },
    async (given) => (await import("./join.ts")).joinAsWorker(given),
  ),
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
