import { readdirSync } from "node:fs";
import { join } from "node:path";
import { trustRepositoryConfig } from "../../src-main/config/write-settings.ts";
import { startWorkers } from "../../src-main/engine/testing/waiting-workers.ts";
import {
  createTestRepository,
  type TestRepository,
} from "../../src-main/jj/testing/create-test-repository.ts";
import { type StandIn, startStandIn } from "../../src-main/model/stand-in/stand-in.ts";
import { MeasuredHost } from "../measured-host/measured-host.ts";
import type { Measures, RunSeen } from "../measured-host/messages.ts";
import * as judge from "./judges.ts";
import { Ledger } from "./ledger.ts";
import { Person } from "./person.ts";
import { chance, seedOf } from "./random.ts";
import { goalOf, soakScript } from "./script.ts";
import { User } from "./user.ts";

export interface SoakOptions {
  readonly agents: number;
  readonly minutes: number;
  readonly seed: number;
  /** Milliseconds between two commands of the user, on average. */
  readonly userMs: number;
  /** On which agents work, apart from the host. Default: none. */
  readonly workers?: number;
  /** How many steer the runs in the app. Default: none. */
  readonly people?: number;
  readonly tell: (line: string) => void;
}

export interface SoakReport {
  readonly runs: number;
  readonly iterations: number;
  readonly requests: number;
  readonly edits: number;
  readonly jj: number;
  readonly byHand: ReadonlyMap<string, number>;
  /** What people did in the app. */
  readonly steered: ReadonlyMap<string, number>;
  readonly refusals: ReadonlyMap<string, number>;
  readonly warnings: ReadonlyMap<string, number>;
  /** After each run, when it was quiet. */
  readonly measures: readonly Measures[];
  readonly findings: readonly string[];
}

const files = 300;
/** In the app people act less often than in a terminal. */
const slower = 4;
/** No run takes longer, also on a busy machine; one that does is stuck. */
const runLimitMs = 30 * 60_000;

/** Runs one after the other with a user in the terminal beside them, until the time is over, and judges each. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { agents, minutes, seed, tell, workers = 0 } = options;
  const repo = await createTestRepository({ files: repositoryFiles(agents) });
  const root = join(repo.folder, "repo");
  const stateFolder = join(repo.folder, "state");
  await trustRepositoryConfig(stateFolder, root);
  const ledger = new Ledger();
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
  const standIn = await startStandIn({ script: soakScript({ seed, agents, ledger }), keepRequests: false });
  const machines =
    workers === 0
      ? null
      : await startWorkers({ stateFolder, count: workers, capacity: Math.ceil((2 * agents) / workers) });
  const host = await MeasuredHost.start({
    ...{ root, stateFolder, model: standIn },
    ...(machines === null ? {} : { workerPort: machines.port }),
  });
  const people = Array.from(
    { length: options.people ?? 0 },
    (_, at) => new Person(host, chance(seedOf(seed, "person", at)), slower * options.userMs),
  );
  const user = new User(repo, chance(seedOf(seed, "user")), options.userMs);
  const findings: string[] = [];
  const measures: Measures[] = [];
  let iterations = 0;
  let runs = 0;

  const byHand = Promise.all([user.work(), ...people.map((person) => person.work())]);
  const end = performance.now() + minutes * 60_000;
  try {
    while (performance.now() < end && findings.length === 0) {
      runs += 1;
      host.begin(goalOf(runs), machines === null ? {} : { on: "test" });
      const run = await host.over(runLimitMs).catch((error: Error) => {
        findings.push(error.message);
        return null;
      });
      iterations += (run?.workers ?? []).reduce((sum, worker) => sum + worker.iteration, 0);
      findings.push(...(await judgeRun({ run, number: runs, root, repo, host, standIn, ledger })));
      measures.push(await host.measure());
      tell(
        `run ${runs}: ${run?.stage ?? "stands still"}, ${iterations} iterations, ${ledger.acknowledged} edits, ` +
          `heap ${((measures.at(-1)?.heap ?? 0) / 1e6).toFixed(0)} MB`,
      );
    }
  } finally {
    for (const one of [user, ...people]) one.stop();
    await byHand;
    await host.close();
    const [repository = ""] = readdirSync(join(stateFolder, "repositories"));
    const problems = await machines?.problems(join(stateFolder, "repositories", repository));
    findings.push(...(problems ?? []).map(([kind, text]) => `workers, ${kind}: ${text}`));
    await machines?.close();
    await standIn.close();
  }
  findings.push(...(await judgeEnd(repo, stateFolder, user)));
  findings.push(...judge.growing(measures));
  if (findings.length === 0) await repo.remove();
  else tell(`Left to be looked at: ${repo.folder}`);
  return {
    runs,
    iterations,
    requests: standIn.count(),
    edits: ledger.acknowledged,
    jj: measures.at(-1)?.jj ?? 0,
    byHand: user.commands,
    steered: summed(people.map(({ commands }) => commands)),
    refusals: user.refusals,
    warnings: countsOf(host.notices.filter(({ level }) => level !== "error").map(({ text }) => text)),
    measures,
    findings,
  };
}

/** What is left behind when everything has ended. */
async function judgeEnd(repo: TestRepository, stateFolder: string, user: User): Promise<readonly string[]> {
  return [
    ...(await judge.stale(repo, stateFolder)).map((one) => `stale: ${one}`),
    ...(await judge.divergent(repo)).map((one) => `divergent: ${one}`),
    ...(await judge.lostByHand(repo, user.files)),
    ...(await judge.living(repo.folder)).map((one) => `still running: ${one}`),
    ...judge.crashes(user.refusals),
  ];
}

/** @param ended the run, by its number, or null if it is stuck; and what it ran in */
async function judgeRun(ended: {
  readonly run: RunSeen | null;
  readonly number: number;
  readonly root: string;
  readonly repo: TestRepository;
  readonly host: MeasuredHost;
  readonly standIn: StandIn;
  readonly ledger: Ledger;
}): Promise<readonly string[]> {
  const { run, number, root, repo, host, standIn, ledger } = ended;
  const found = [
    ...host.notices.filter(({ level }) => level === "error").map(({ text }) => `error: ${text}`),
    ...host.cards.map((card) => `waits for a user: ${JSON.stringify(card).slice(0, 600)}`),
    ...standIn.unmatched().map((asked) => `the script has no answer: ${asked}`),
  ];
  if (run === null) return found;
  if (run.stage !== "complete") found.push(`run ${number} ended as ${run.stage}: ${run.failure?.reason}`);
  else {
    const ask = ["--ignore-working-copy", "log", "--no-graph", "-r", "main", "-T", "commit_id"];
    const texts = await judge.textsIn(root, await repo.terminal(ask), ledger.paths(number));
    found.push(...ledger.lost(number, texts).map((one) => `run ${number}, lost edit: ${one}`));
  }
  const orphans = await judge.orphans(host.pid);
  return [...found, ...orphans.map((one) => `run ${number} is over, and this still runs: ${one}`)];
}

const repositoryFiles = (agents: number): Readonly<Record<string, string>> => ({
  "readme.md": "# Soak\n",
  "check.sh": "! grep -rn BROKEN work\n",
  "work/readme.txt": "Agents work here.\n",
  "shared/board.txt": "entry start\n",
  ".hox/config.toml": `[loop_defaults]
max_parallel_agents = ${agents}
[backpressure]
fast_checks = ["sh check.sh"]
slow_checks = []
[workflow]
contracts = "on"
reviews = "on"
integrator = "on"
panel = "on"
learning = "on"
`,
  ...Object.fromEntries(
    Array.from({ length: files }, (_, at) => [`src/${at % 20}/${at}.txt`, `line ${at}\n`.repeat(20)]),
  ),
});

function summed(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const [what, times] of counts.flatMap((one) => [...one])) sum.set(what, (sum.get(what) ?? 0) + times);
  return sum;
}

const countsOf = (texts: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const plain = text.replaceAll(/[0-9a-z]{12,}/gu, "…");
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  return counts;
};
