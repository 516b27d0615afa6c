/**
 * `npm run -s soak -- [--agents 16] [--minutes 10] [--seed n] [--user-ms 600] [--workers 8] [--people 2]`; exit code 1 when
 * something was found. Without `--workers`, agents work on the host; `--people` steer in the app beside the one in the terminal.
 */
import { parseArgs } from "node:util";
import { type SoakReport, soak } from "./soak.ts";

function number(name: string, given: string | undefined, fallback: number): number {
  const value = given === undefined ? fallback : Number(given);
  if (Number.isFinite(value) && value > 0) return value;
  process.stderr.write(`--${name} ${given}: give a number above 0.\n`);
  process.exit(2);
}

const { values } = parseArgs({
  options: {
    agents: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    "user-ms": { type: "string" },
    workers: { type: "string" },
    people: { type: "string" },
  },
});
const options = {
  agents: number("agents", values.agents, 16),
  minutes: number("minutes", values.minutes, 10),
  seed: number("seed", values.seed, 1 + Math.floor(Math.random() * 1e6)),
  userMs: number("user-ms", values["user-ms"], 600),
  ...(values.workers === undefined ? {} : { workers: number("workers", values.workers, 8) }),
  ...(values.people === undefined ? {} : { people: number("people", values.people, 2) }),
};
process.stdout.write(
  `soak: ${options.agents} agents, ${options.minutes} minutes, seed ${options.seed} (--seed ${options.seed} draws the same)\n`,
);
const report = await soak({ ...options, tell: (line) => process.stdout.write(`${line}\n`) });
process.stdout.write(`${summary(report)}\n`);
process.exit(report.findings.length > 0 ? 1 : 0);

function summary(report: SoakReport): string {
  const megabytes = (bytes: number | undefined): string => `${((bytes ?? 0) / 1e6).toFixed(0)} MB`;
  const [first, last] = [report.measures[1] ?? report.measures[0], report.measures.at(-1)];
  const counted = (title: string, counts: ReadonlyMap<string, number>): readonly string[] =>
    counts.size === 0
      ? []
      : [title, ...[...counts].sort((a, b) => b[1] - a[1]).map(([what, times]) => `  ${times} × ${what}`)];
  return [
    "",
    `${report.runs} runs, ${report.iterations} iterations, ${report.requests} model requests, ${report.jj} jj processes`,
    `${report.edits} acknowledged edits looked for`,
    `heap ${megabytes(first?.heap)} → ${megabytes(last?.heap)}, resident ${megabytes(first?.rss)} → ${megabytes(last?.rss)}, ` +
      `handles ${first?.handles} → ${last?.handles}, descriptors ${first?.descriptors ?? "?"} → ${last?.descriptors ?? "?"}`,
    `event loop late by ${Math.max(...report.measures.map(({ delay }) => delay.p99)).toFixed(0)} ms at most (p99 of a run)`,
    ...counted("by hand:", report.byHand),
    ...counted("in the app:", report.steered),
    ...counted("jj refused to the user:", report.refusals),
    ...counted("warnings on screen:", report.warnings),
    ...(report.findings.length === 0
      ? ["nothing found"]
      : [`FOUND ${report.findings.length}:`, ...report.findings.map((one) => `  ${one}`)]),
  ].join("\n");
}
