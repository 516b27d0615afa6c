/**
 * A machine that offers places, in a process of its own, to be stopped and killed:
 * `node child-machine.ts <address> <id> <key> <folder> <name> <lease times and number of places as JSON> [<trace file> <selection of kill points as
 * JSON>]`.
 */
import { machinesPath } from "../../places/machine/host-request.ts";
import { serveHost } from "../../places/machine/join-host.ts";
import { createMachine, type MachineOptions } from "../../places/machine/machine.ts";
import { keepingPlaces } from "./keeping-places.ts";
import { createKillPoints, type Selection } from "./kill-points.ts";
import { aroundMessages } from "./kill-points-of-workers.ts";

const [address = "", id = "", key = "", folder = "", name = "", offer = "{}", trace, selection] =
  process.argv.slice(2);
type Offer = Required<Pick<MachineOptions, "times" | "capacity">>;
const { keepsPlaces, ...offered } = JSON.parse(offer) as Offer & { readonly keepsPlaces?: boolean };
// Whoever started it has ended.
process.stdin.once("end", () => process.exit()).resume();
const print = (line: string): void => console.log(line);
const machine = await createMachine({
  ...{ folder, name, print, labels: ["test"] },
  ...offered,
});
const points =
  trace !== undefined && selection !== undefined
    ? createKillPoints(trace, JSON.parse(selection) as Selection)
    : null;
const router = keepsPlaces ? keepingPlaces(machine.router) : machine.router;
const served =
  points === null ? { ...machine, router } : { ...machine, router: aroundMessages(router, name, points.at) };
// Not by `hostAddress`: a network of the test has addresses of its own.
await serveHost(
  served,
  new URL(machinesPath, address),
  { id, key },
  { signal: new AbortController().signal, print },
);
