/** What a machine does that offers places: all that the program has which a host gives it. */
import { InvalidArgumentError } from "commander";
import { CommandError, exitCode, microDollars, oneLine, wholeNumber } from "../command-line.ts";
import { type CommandRow, row } from "../command-table.ts";

const workerName = (value: string): string => {
  if (!/^[\w.-]{1,100}$/u.test(value))
    throw new InvalidArgumentError("Must be letters, digits, dots, dashes and underscores, at most 100.");
  return value;
};

export const joinRows: readonly CommandRow[] = [
  row("worker", "offer this machine to a Hox on another one", {}, async () => {
    throw new CommandError(
      "Which host is this machine to work for?",
      "On the host: hox workers invite. It prints the command for this machine.",
      exitCode.usage,
    );
  }),
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
];
