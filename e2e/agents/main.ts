/**
 * `main.ts [--only <agent>]… [--keep] -- <hox>…`: tries the agents one after the other, then together, and writes a JSON
 * line for each. `build/agents.mjs` starts it and makes the table.
 */
import { parseArgs } from "node:util";
import { dialects } from "../../src-main/external-agents/dialects.ts";
import type { HoxCommand } from "../real/hox.ts";
import { capabilities, tryCapabilities } from "./capabilities.ts";
import { installedAgent, NotInstalled } from "./installed.ts";
import { type Make, makes } from "./makes.ts";
import { tryMixedRun } from "./mixed.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true, default: [] },
    keep: { type: "boolean", default: false },
  },
});
const [program, ...args] = positionals;
if (program === undefined) throw new Error("Say how hox is started, after --.");
const command: HoxCommand = [program, ...args];
const unknown = values.only.filter((name) => !makes.some(({ id }) => id === name));
if (unknown.length > 0)
  throw new Error(
    `There is no agent ${unknown.join(", ")}. There are: ${makes.map(({ id }) => id).join(", ")}.`,
  );

const write = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const sayFor =
  (name: string) =>
  (line: string): void =>
    void process.stderr.write(`  ${name}: ${line}\n`);

write({ kind: "capabilities", names: capabilities });
const installed: { readonly make: Make; readonly programs: string }[] = [];
for (const make of makes) {
  if (values.only.length > 0 && !values.only.includes(make.id)) continue;
  const dialect = dialects.find(({ id }) => id === make.id);
  if (!dialect) throw new Error(`Hox does not know ${make.id}.`);
  const [pinned] = dialect.packages;
  const named = { agent: make.id, label: dialect.label, version: pinned?.version ?? "" };
  try {
    const programs = await installedAgent(dialect, sayFor(make.id));
    installed.push({ make, programs });
    const seen = await tryCapabilities({
      ...{ make, programs, command, keep: values.keep, say: sayFor(make.id) },
    });
    write({ kind: "agent", ...named, seen, impossible: null });
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error;
    write({ kind: "agent", ...named, seen: [], impossible: error.message });
  }
}
for (const on of ["host", "worker"] as const) {
  if (installed.length < 2) break;
  const results = await tryMixedRun({
    ...{ installed, on, command, keep: values.keep, say: sayFor(`all on a ${on}`) },
  }).catch((error: Error) => [{ name: "one run with all of them", worked: false, reason: error.message }]);
  write({ kind: "mixed", on, results });
}
