/** One run whose host is killed at chosen points and started again, and what was found wrong on the way. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { type StandIn, startStandIn } from "../../model/stand-in/stand-in.ts";
import { askedAgain } from "./asked-again.ts";
import { type CrashScenario, type CrashScenarioName, crashScenarios } from "./crash-scenarios.ts";
import { type PointCounts, readTrace, type Selection, type Trace } from "./kill-points.ts";
import { isRunning, processesNaming } from "./processes.ts";
import { withUsualConfig } from "./usual-config.ts";

export interface Finding {
  readonly kind: FindingKind;
  readonly text: string;
  /** The last death before it. */
  readonly after: string;
}

export const findingKinds = {
  result: "another result than without a death",
  lost: "acknowledged and lost",
  twice: "done or charged twice",
  approval: "an approval that nobody gave",
  orphan: "a process that outlived its host",
  stuck: "did not go on by itself",
} as const;
export type FindingKind = keyof typeof findingKinds;

export interface KilledRun {
  /** Points that it died at, in order. */
  readonly deaths: readonly string[];
  /** How often it passed each point. */
  readonly passed: PointCounts;
  readonly findings: readonly Finding[];
}

const host = fileURLToPath(new URL("child-host.ts", import.meta.url));
/** A life that lasts longer hangs. Far more than a whole run takes on a slow machine. */
const longestLife = 300_000;

export async function killedRun(
  selection: Selection,
  {
    scenario: name = "three-agents",
    onDeath = () => undefined,
  }: { readonly scenario?: CrashScenarioName; readonly onDeath?: (point: string) => void } = {},
): Promise<KilledRun> {
  const scenario: CrashScenario = crashScenarios[name];
  const repo = await createTestRepository({ files: withUsualConfig(scenario.files) });
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
  const standIn = await startStandIn({ script: scenario.script });
  const stateFolder = join(repo.folder, "state");
  const trace = join(repo.folder, "trace");
  const deaths: string[] = [];
  const requestsAtDeath: number[] = [];
  const left = new Set<number>();
  const findings: Finding[] = [];
  const find = (kind: FindingKind, text: string) =>
    findings.push({ kind, text, after: deaths.at(-1) ?? "the start" });

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
        JSON.stringify(selection),
        name,
      ],
      {
        stdin: "ignore",
        reject: false,
        timeout: longestLife,
        killSignal: "SIGTERM",
        // It begins some fifty times from the same sources.
        env: { NODE_COMPILE_CACHE: join(repo.folder, "compiled") },
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
      for (const process of await processesNaming(repo.folder)) left.add(process);
      return "died";
    }
    if (exitCode !== 0) find("stuck", `It ended with code ${exitCode}: ${stderr.slice(-3000)}`);
    else {
      const { stage, failure } = JSON.parse(stdout) as { stage: string; failure: unknown };
      if (stage !== "complete") find("result", `The run ended as ${stage}: ${JSON.stringify(failure)}`);
    }
    return "ended";
  };

  const come = (): KilledRun => ({ deaths, findings, passed: countsOf(readTrace(trace)) });

  try {
    let before = nothingKept;
    while ((await live()) === "died") {
      const now = kept(stateFolder);
      for (const lost of missing(before, now)) find("lost", lost);
      before = now;
      if (findings.length > 0) return come();
    }
    if (findings.length > 0) return come();
    for (const [kind, text] of await judge(
      scenario,
      repo,
      standIn,
      stateFolder,
      readTrace(trace),
      requestsAtDeath,
    ))
      find(kind, text);
    for (const process of await stillRunning(left)) find("orphan", process);
    return come();
  } finally {
    await standIn.close();
    await repo.remove();
  }
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

/** The journal as it lies there, without anything of Hox between. */
function rowsOf(stateFolder: string, query: string): readonly Readonly<Record<string, unknown>>[] {
  const path = join(stateFolder, "journal.sqlite");
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path);
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

const answered = "SELECT id, item, decision FROM inbox WHERE answered_at IS NOT NULL";

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

/** The result, and what was done on the way to it, against a run in which nobody died. */
async function judge(
  scenario: CrashScenario,
  repo: TestRepository,
  standIn: StandIn,
  stateFolder: string,
  trace: readonly Trace[],
  deaths: readonly number[],
): Promise<readonly (readonly [FindingKind, string])[]> {
  const found: (readonly [FindingKind, string])[] = [];
  const log = (revset: string) =>
    repo.terminal(["log", "--no-graph", "-r", revset, "-T", 'change_id ++ "\\n"']);
  const count = async (revset: string) =>
    (await log(revset)).split("\n").filter((line) => line !== "").length;

  for (const [path, text] of Object.entries(scenario.expectedFiles)) {
    const shown = await repo.terminal(["file", "show", "-r", "main", path]).catch((error) => String(error));
    if (shown !== text) found.push(["result", `${path} on main is ${JSON.stringify(shown)}`]);
  }
  const broken = await log("conflicts() | divergent()");
  if (broken !== "") found.push(["result", `in conflict or divergent: ${broken}`]);
  for (const [kind, wanted] of Object.entries(scenario.expectedChanges)) {
    const there = await count(`description(regex:"(?m)^Hox-Kind: ${kind}$")`);
    if (there !== wanted)
      found.push([
        there > wanted ? "twice" : "lost",
        `${there} changes of kind ${kind} instead of ${wanted}`,
      ]);
  }
  // Messages go with the run; its record keeps each once.
  const words = rowsOf(
    stateFolder,
    "SELECT event FROM events WHERE json_extract(event, '$.kind') = 'MessagesArchived'",
  ).flatMap(({ event }) => (JSON.parse(String(event)) as { messages: readonly unknown[] }).messages).length;
  if (words !== scenario.expectedMessages)
    found.push([words > scenario.expectedMessages ? "twice" : "lost", `${words} messages in the record`]);
  for (const [kind, wanted] of Object.entries(scenario.expectedEvents)) {
    const there = rowsOf(
      stateFolder,
      `SELECT seq FROM events WHERE json_extract(event, '$.kind') = '${kind}'`,
    ).length;
    if (there !== wanted)
      found.push([there > wanted ? "twice" : "lost", `${there} events ${kind} instead of ${wanted}`]);
  }
  for (const again of askedAgain(standIn.requests(), deaths, scenario.askersOfRole))
    found.push(["twice", `the model was asked again: ${again}`]);
  for (const unmatched of standIn.unmatched()) found.push(["result", `an unexpected request: ${unmatched}`]);

  const runs = rowsOf(stateFolder, "SELECT id FROM runs").map((row) => row.id);
  if (runs.length > 1) found.push(["twice", `${runs.length} runs were started`]);
  for (const one of trace)
    if (one.kind === "started" && !runs.includes(one.run)) found.push(["lost", `the run ${one.run}`]);

  const paid = standIn.requests().filter((request) => request.outcome === 200).length;
  const charged = rowsOf(stateFolder, "SELECT request FROM spending").length;
  if (charged > paid) found.push(["twice", `${charged} requests were charged, and ${paid} were answered`]);
  const certain = paid - inFlight(standIn, deaths, scenario.askersOfRole);
  if (charged < certain)
    found.push(["lost", `${charged} requests were charged, and at least ${certain} came to their end`]);

  const votes = rowsOf(stateFolder, "SELECT attempt, seat, replacement FROM votes");
  for (const [before, wanted] of scenario.expectedVotes.entries()) {
    const seats = votes.filter(({ attempt }) => attempt === before + 1);
    if (seats.length !== wanted || new Set(seats.map(({ seat }) => seat)).size !== wanted)
      found.push([seats.length > wanted ? "twice" : "lost", `votes: ${JSON.stringify(seats)}`]);
  }
  if (votes.some(({ attempt }) => Number(attempt) > scenario.expectedVotes.length))
    found.push(["twice", `votes: ${JSON.stringify(votes)}`]);

  const answers = rowsOf(stateFolder, answered);
  for (const { id, decision } of answers)
    if (
      !trace.some(
        (one) => one.kind === "given" && one.card === id && JSON.stringify(one.decision) === decision,
      )
    )
      found.push(["approval", `${id}: ${decision}`]);
  for (const one of trace)
    if (one.kind === "taken" && !answers.some(({ id }) => id === one.card))
      found.push(["lost", `the answer to ${one.card}`]);
  return found;
}

/** How many requests may have been answered without their asker living to hear it: one for each of its workers. */
function inFlight(standIn: StandIn, deaths: readonly number[], askersOfRole: number): number {
  let begun = 0;
  let most = 0;
  for (const death of deaths) {
    const asked = Map.groupBy(standIn.requests().slice(begun, death), ({ seen }) => seen.role);
    for (const requests of asked.values()) most += Math.min(askersOfRole, requests.length);
    begun = death;
  }
  return most;
}

/** Whoever was running when its host died has ended since, or does so within a moment. */
async function stillRunning(processes: ReadonlySet<number>): Promise<readonly string[]> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const running = [...processes].filter(isRunning);
    if (running.length === 0 || Date.now() > deadline) return running.map((one) => `process ${one}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
