/**
 * `run-mutants.ts [--mutant <name>]…`: makes one hole after the other in the host's code and tries the cases that have to
 * notice it. Writes a JSON line for each. A hole that no case notices is a hole in the suite.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { type Mutant, mutants } from "./mutants.ts";
import type { Tally } from "./tally.ts";

const execute = promisify(execFile);
const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const { values } = parseArgs({ options: { mutant: { type: "string", multiple: true, default: [] } } });
const wanted = values.mutant;
const chosen = mutants.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
if (chosen.length === 0) {
  process.stderr.write(`No mutant is called ${wanted.join(", ")}. There are:\n`);
  process.stderr.write(`${mutants.map(({ name }) => name).join("\n")}\n`);
  process.exit(2);
}

async function tallies({ name, cases, tries }: Mutant): Promise<readonly Tally[]> {
  const hole = `--import=${new URL(`apply-mutant.ts?mutant=${name}`, import.meta.url).href}`;
  const { stdout } = await execute(
    process.execPath,
    [file("main.ts"), ...cases.flatMap((one) => ["--case", one]), "--tries", String(tries ?? 1)],
    { env: { ...process.env, NODE_OPTIONS: hole }, maxBuffer: 1e8 },
  );
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Tally);
}

const hasBroken = /^(?:it broke|the attack did not run)/u;

for (const mutant of chosen) {
  const tried = await tallies(mutant);
  const noticed = tried.filter(
    ({ failed, messages }) =>
      failed > 0 && (mutant.breaks === true || messages.some((how) => !hasBroken.test(how))),
  );
  const impossible = tried.filter((one) => one.impossible !== null);
  const missed = tried.filter((one) => !noticed.includes(one) && !impossible.includes(one));
  process.stdout.write(
    `${JSON.stringify({
      mutant: mutant.name,
      noticed: noticed.map((one) => `${one.case}: ${one.messages[0]}`),
      missed: missed.map((one) => `${one.case}: ${one.messages[0] ?? "refused"}`),
      impossible: impossible.map((one) => `${one.case}: ${one.impossible}`),
    })}\n`,
  );
}
