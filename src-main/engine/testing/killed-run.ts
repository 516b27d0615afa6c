/** One run whose host, or whose workers, are killed at chosen points and started again, and what was found wrong on the way. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { trustConfigFile } from "../../config/write-settings.ts";
import { createForgeWorld, everything, ownToken } from "../../forge/testing/forge-world.ts";
import { serveGithub } from "../../forge/testing/github-server.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { startStandIn } from "../../model/stand-in/stand-in.ts";
import { type CrashScenario, type CrashScenarioName, crashScenarios } from "./crash-scenarios.ts";
import { withDefaultConfig } from "./default-config.ts";
import { buildScriptedAgent } from "./installed-agent.ts";
import { type PointCounts, readTrace, type Selection, type Trace } from "./kill-points.ts";
import { answered, type Finding, type FindingKind, findingsIn, rowsOf } from "./killed-run-findings.ts";
import { isRunning, processesNaming } from "./processes.ts";
import { startWorkers } from "./waiting-workers.ts";

export interface KilledRun {
  /** Points that it died at, in order. */
  readonly deaths: readonly string[];
  /** How often it passed each point. */
  readonly passed: PointCounts;
  readonly findings: readonly Finding[];
}

const host = fileURLToPath(new URL("child-host.ts", import.meta.url));
/** A life that lasts longer hangs. Far more than a whole run takes on a slow machine. */
const maxLifetimeMs = 300_000;

export async function killedRun(
  selection: Selection,
  {
    scenario: name = "three-agents",
    onDeath = () => undefined,
  }: { readonly scenario?: CrashScenarioName; readonly onDeath?: (point: string) => void } = {},
): Promise<KilledRun> {
  const scenario: CrashScenario = crashScenarios[name];
  const repo = await createTestRepository({ files: withDefaultConfig(scenario.files) });
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
  const standIn = await startStandIn({ script: scenario.script });
  const stateFolder = join(repo.folder, "state");
  await trustConfigFile({ root: repo.repository.root, stateFolder });
  const environment: Record<string, string> = {};
  if (scenario.installsAgent) {
    const folder = join(repo.folder, "bin");
    await buildScriptedAgent(folder);
    environment.PATH = `${folder}:${process.env.PATH}`;
  }
  const forge = scenario.forge === undefined ? null : await forgeOf(repo, scenario.forge);
  const trace = join(repo.folder, "trace");
  const deaths: string[] = [];
  const requestsAtDeath: number[] = [];
  /** Command lines by process. */
  const left = new Map<number, string>();
  const findings: Finding[] = [];
  const find = (kind: FindingKind, text: string) =>
    findings.push({ kind, text, after: deaths.at(-1) ?? "the start" });
  const areWorkersKilled = scenario.workers === "are killed";
  const workerTrace = join(repo.folder, "trace-of-workers");
  const workers =
    scenario.workers === undefined
      ? null
      : await startWorkers({
          ...{ stateFolder, environment },
          deadly: areWorkersKilled ? { trace: workerTrace, selection } : null,
          onDeath(point) {
            deaths.push(point);
            onDeath(point);
          },
        });

  const live = async (): Promise<"died" | "ended"> => {
    const child = execa(
      process.execPath,
      [
        host,
        repo.repository.root,
        stateFolder,
        standIn.url,
        standIn.apiKey,
        trace,
        JSON.stringify(areWorkersKilled ? { kind: "none" } : selection),
        name,
        JSON.stringify({ forge: forge?.host, port: workers?.port }),
      ],
      {
        stdin: "ignore",
        reject: false,
        timeout: maxLifetimeMs,
        killSignal: "SIGTERM",
        // It begins some fifty times from the same sources.
        env: { ...environment, NODE_COMPILE_CACHE: join(repo.folder, "compiled") },
      },
    );
    const { signal, exitCode, stderr, stdout } = await child;
    if (signal === "SIGKILL") {
      const last = readTrace(trace).findLast((one) => one.kind === "killed");
      deaths.push(last ? `${last.point}#${last.place}` : "nowhere");
      onDeath(last?.point ?? "nowhere now");
      // What the dead one had sent arrives.
      await standIn.alone();
      requestsAtDeath.push(standIn.requests().length);
      for (const { id, command } of await processesNaming(repo.folder)) left.set(id, command);
      return "died";
    }
    if (exitCode !== 0) find("stuck", `It ended with code ${exitCode}: ${stderr.slice(-3000)}`);
    else {
      const { stage, failure } = JSON.parse(stdout) as { stage: string; failure: unknown };
      if (stage !== (scenario.expectedStage ?? "complete"))
        find("result", `The run ended as ${stage}: ${JSON.stringify(failure)}`);
    }
    return "ended";
  };

  const come = (): KilledRun => ({
    deaths,
    findings,
    passed: countsOf(readTrace(areWorkersKilled ? workerTrace : trace)),
  });

  try {
    let before = nothingKept;
    while ((await live()) === "died") {
      const now = kept(stateFolder);
      for (const lost of missing(before, now)) find("lost", lost);
      before = now;
      if (findings.length > 0) return come();
    }
    if (findings.length > 0) return come();
    for (const [kind, text] of await findingsIn(
      scenario,
      repo,
      standIn,
      stateFolder,
      readTrace(trace),
      requestsAtDeath,
    ))
      find(kind, text);
    for (const problem of forge?.problems() ?? []) find("twice", problem);
    for (const [kind, text] of (await workers?.problems()) ?? []) find(kind, text);
    for (const process of await stillRunning(left)) find("orphan", process);
    return come();
  } finally {
    await workers?.close();
    await forge?.close();
    await standIn.close();
    await repo.remove();
  }
}

/** A forge that outlives every host, and the people there. */
async function forgeOf(repo: TestRepository, { people, problems }: NonNullable<CrashScenario["forge"]>) {
  const folder = await mkdtemp(join(repo.folder, "forge-"));
  const world = createForgeWorld({ folder, now: Date.now });
  world.tokens.set(ownToken, { user: world.user("me"), permissions: everything });
  const { host, cloneUrl, close } = await serveGithub(world);
  await repo.terminal(["git", "remote", "add", "origin", cloneUrl]);
  await execa("git", ["-C", repo.repository.root, "push", "-q", "-f", "origin", "main"]);
  await repo.terminal(["git", "fetch"]);
  const acting = setInterval(() => people(world), 200);
  return {
    host,
    problems: () => problems(world),
    async close() {
      clearInterval(acting);
      await close();
    },
  };
}

function countsOf(trace: readonly Trace[]): PointCounts {
  const counts: Record<string, number> = {};
  for (const entry of trace)
    if (entry.kind === "passed") counts[entry.point] = (counts[entry.point] ?? 0) + 1;
  return counts;
}

/** What must never become less from one life to the next. */
interface Kept {
  readonly events: readonly string[];
  readonly steps: readonly string[];
  readonly spending: readonly string[];
  readonly votes: readonly string[];
  readonly answers: readonly string[];
}
const nothingKept: Kept = { events: [], steps: [], spending: [], votes: [], answers: [] };

function kept(stateFolder: string): Kept {
  const words = (query: string) => rowsOf(stateFolder, query).map((row) => JSON.stringify(row));
  return {
    events: words("SELECT run, event FROM events ORDER BY seq"),
    steps: words("SELECT step, result FROM steps"),
    spending: words("SELECT request FROM spending"),
    votes: words("SELECT vote FROM votes"),
    answers: words(answered),
  };
}

function missing(before: Kept, now: Kept): readonly string[] {
  const names = Object.keys(before) as (keyof Kept)[];
  return [
    ...names.flatMap((name) => {
      const there = new Set(now[name]);
      return before[name].filter((one) => !there.has(one)).map((one) => `${name}: ${one}`);
    }),
    ...before.events.flatMap((event, place) => (now.events[place] === event ? [] : [`events: ${event}`])),
  ];
}

/** Whoever was running when its host died has ended since, or does so within a moment. */
async function stillRunning(processes: ReadonlyMap<number, string>): Promise<readonly string[]> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const running = [...processes].filter(([id]) => isRunning(id));
    if (running.length === 0 || Date.now() > deadline)
      return running.map(([id, command]) => `process ${id}: ${command}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
