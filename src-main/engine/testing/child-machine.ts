/**
 * A machine that offers places, in a process of its own, to be stopped and killed:
 * `node child-machine.ts <address> <id> <key> <folder> <name> <lease times as JSON>`.
 */
import { hostAddress, serveHost } from "../../places/machine/join-host.ts";
import { createMachine } from "../../places/machine/machine.ts";

const [address = "", id = "", key = "", folder = "", name = "", times = "{}"] = process.argv.slice(2);
const print = (line: string): void => console.log(line);
const machine = await createMachine({
  ...{ folder, name, print, times: JSON.parse(times) },
  labels: ["test"],
  capacity: 3,
});
await serveHost(machine, hostAddress(address), { id, key }, { signal: new AbortController().signal, print });
