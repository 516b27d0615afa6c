/**
 * `npm run -s test:crash [-- --scenario forks-and-archangels --part 3/12]`: kills the hosts of small runs at every write
 * of their journals and around every jj operation, or their workers at every message, each time starts them again, and looks
 * at what came of it. The points are dealt out to several runs of each scenario, so that each of them comes to its end in
 * spite of some fifty deaths; `--part` repeats one of these runs.
 */
import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type CrashScenario,
  type CrashScenarioName,
  crashScenarios,
  isCrashScenario,
} from "./crash-scenarios.ts";
import { kindOf } from "./kill-points.ts";
import { type KilledRun, killedRun } from "./killed-run.ts";
import { type Finding, findingKinds } from "./killed-run-findings.ts";

const { values } = parseArgs({ options: { part: { type: "string" }, scenario: { type: "string" } } });
const every = Object.keys(crashScenarios).filter(isCrashScenario);
const scenarios = every.filter((name) => (values.scenario ?? name) === name);
if (scenarios.length === 0)
  throw new Error(`There is no scenario "${values.scenario}". There are: ${every.join(", ")}.`);
const named = /^(\d+)\/(\d+)$/u.exec(values.part ?? "");
if (values.part !== undefined && !named) throw new Error(`--part ${values.part}: give it as 3/12.`);
const partsOf = (scenario: CrashScenarioName): number => {
  const { parts = 12 }: CrashScenario = crashScenarios[scenario];
  return Number(named?.[2] ?? parts);
};

const folder = await mkdtemp(join(tmpdir(), "hox-crash-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const begun = performance.now();
const seconds = (): string => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
const runs: (KilledRun & { readonly part: string })[] = [];
let deaths = 0;

/** Without a death first: where it can die, and that it comes to its end. */
async function pointsOf(scenario: CrashScenarioName): Promise<string> {
  const undisturbed = await killedRun({ kind: "none" }, { scenario });
  const all = Object.values(undisturbed.passed).reduce((sum, count) => sum + count, 0);
  const points = join(folder, `${scenario}.json`);
  await writeFile(points, JSON.stringify(undisturbed.passed));
  process.stderr.write(`${seconds()}: ${scenario} without a death passes ${all} points\n`);
  runs.push({ part: `${scenario} without a death`, ...undisturbed });
  return points;
}

const left: {
  readonly scenario: CrashScenarioName;
  readonly points: string;
  readonly part: number;
  readonly parts: number;
}[] = [];
for (const scenario of scenarios) {
  const points = await pointsOf(scenario);
  const parts = partsOf(scenario);
  const chosen = named ? [Number(named[1])] : Array.from({ length: parts }, (_, part) => part + 1);
  left.push(...chosen.map((part) => ({ scenario, points, part, parts })));
}

const work = async (): Promise<void> => {
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { scenario, points, part, parts } = next;
    const onDeath = (): void => {
      deaths += 1;
      if (deaths % 25 === 0) process.stderr.write(`${seconds()}: killed ${deaths} times\n`);
    };
    const run = await killedRun({ kind: "share", part: part - 1, of: parts, points }, { scenario, onDeath });
    process.stderr.write(
      `${seconds()}: ${scenario}, part ${part}/${parts}, ${run.deaths.length} deaths, ${run.findings.length} findings\n`,
    );
    // At once: whoever stops it before its end has seen them.
    for (const { kind, text, after: point } of run.findings)
      process.stderr.write(`  ${findingKinds[kind]}, after ${point}: ${text}\n`);
    runs.push({ part: `${scenario}, part ${part}/${parts}`, ...run });
  }
};
await Promise.all(Array.from({ length: Math.min(availableParallelism(), left.length) }, work));

const perKind = new Map<string, number>();
for (const point of runs.flatMap((run) => run.deaths)) {
  const kind = kindOf(point.replace(/#\d+$/u, ""));
  perKind.set(kind, (perKind.get(kind) ?? 0) + 1);
}
const findings = runs.flatMap((run) => run.findings.map((finding) => ({ ...finding, part: run.part })));
const after = (kind: string): number =>
  findings.filter((finding) => kindOf(finding.after.replace(/#\d+$/u, "")) === kind).length;
for (const [kind, count] of [...perKind].toSorted(([one], [other]) => one.localeCompare(other)))
  process.stdout.write(
    `${kind.padEnd(36)} killed ${String(count).padStart(4)} times, ${after(kind)} findings\n`,
  );

const print = ({ kind, text, after: point, part }: Finding & { readonly part: string }): string =>
  `  ${findingKinds[kind]}, in ${part} after ${point}:\n    ${text}\n`;
for (const finding of findings) process.stdout.write(print(finding));
for (const [kind, words] of Object.entries(findingKinds))
  process.stdout.write(`${words.padEnd(36)} ${findings.filter((finding) => finding.kind === kind).length}\n`);
process.stdout.write(
  `Killed at ${deaths} points in ${runs.length} runs (${seconds()}): ${findings.length === 0 ? "nothing found" : `${findings.length} findings`}.\n`,
);
process.exit(findings.length === 0 ? 0 : 1);
