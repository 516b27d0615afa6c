/** What is wrong with a run whose host was killed, beside one in which nobody died. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { execa } from "execa";
import { toolPath } from "../../config/tools.ts";
import type { TestRepository } from "../../jj/testing/create-test-repository.ts";
import type { StandIn } from "../../model/stand-in/stand-in.ts";
import { askedAgain } from "./asked-again.ts";
import { type CrashScenario, goalsOf } from "./crash-scenarios.ts";
import type { Trace } from "./kill-points.ts";

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

/** The journal as it lies there, without anything of Hox between. */
export function rowsOf(stateFolder: string, query: string): readonly Readonly<Record<string, unknown>>[] {
  const path = join(stateFolder, "journal.sqlite");
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path);
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

export const answered = "SELECT id, item, decision FROM inbox WHERE answered_at IS NOT NULL";

/** The metadata of landed changes as Git alone reads it, a block of lines for each change. */
async function notesOfMain(repo: TestRepository): Promise<readonly (readonly string[])[]> {
  const args = ["log", "main", "--notes=hox", "--format=%N"];
  const { stdout } = await execa(toolPath("git"), args, { cwd: repo.repository.root });
  const blocks = stdout.split(/\n{2,}/u).map((block) => block.split("\n"));
  return [
    ...new Map(
      blocks.map((block) => [block.find((line) => line.startsWith("Hox-Change: ")), block]),
    ).values(),
  ];
}

/** The result, and what was done on the way to it, against a run in which nobody died. */
export async function findingsIn(
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
  const notes = await notesOfMain(repo);

  for (const [path, text] of Object.entries(scenario.expectedFiles)) {
    const there = await repo.terminal(["file", "list", "-r", "main", `root:${path}`]);
    const shown = there === "" ? null : await repo.terminal(["file", "show", "-r", "main", `root:${path}`]);
    if (shown !== text) found.push(["result", `${path} on main is ${JSON.stringify(shown)}`]);
  }
  const { expectedTrailer } = scenario;
  if (expectedTrailer !== undefined) {
    if (!notes.some((block) => block.includes(expectedTrailer)))
      found.push(["lost", `the line ${expectedTrailer}`]);
  }
  const broken = await log("conflicts() | divergent()");
  if (broken !== "") found.push(["result", `in conflict or divergent: ${broken}`]);
  for (const [kind, wanted] of Object.entries(scenario.expectedChanges)) {
    const landed = notes.filter((block) => block.includes(`Hox-Kind: ${kind}`)).length;
    const there = landed + (await count(`description(regex:"(?m)^Hox-Kind: ${kind}$")`));
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
  // Another judge of a seat is asked the same.
  const replacements = (scenario.expectedReplacements ?? []).reduce((sum, count) => sum + count, 0);
  for (const again of askedAgain(standIn.requests(), deaths, scenario.askersOfRole).slice(replacements))
    found.push(["twice", `the model was asked again: ${again}`]);
  for (const unmatched of standIn.unmatched()) found.push(["result", `an unexpected request: ${unmatched}`]);

  const begun = rowsOf(stateFolder, "SELECT id, stage FROM runs");
  const runs = begun.map(({ id }) => id);
  const goals = goalsOf(scenario);
  if (runs.length !== goals.length)
    found.push([runs.length > goals.length ? "twice" : "lost", `${runs.length} runs were started`]);
  for (const { id, stage } of begun)
    if (stage !== (scenario.expectedStage ?? "complete"))
      found.push(["result", `the run ${String(id)} ended as ${String(stage)}`]);
  for (const one of trace)
    if (one.kind === "started" && !runs.includes(one.run)) found.push(["lost", `the run ${one.run}`]);

  const paid = standIn.requests().filter((request) => request.outcome === 200).length;
  const charged = rowsOf(stateFolder, "SELECT request FROM spending").length;
  if (charged > paid) found.push(["twice", `${charged} requests were charged, and ${paid} were answered`]);
  const certain = paid - inFlight(standIn, deaths, scenario.askersOfRole);
  if (charged < certain)
    found.push(["lost", `${charged} requests were charged, and at least ${certain} came to their end`]);

  for (const run of runs)
    found.push(
      ...wrongVotes(
        scenario,
        rowsOf(stateFolder, `SELECT attempt, seat, replacement FROM votes WHERE run = '${String(run)}'`),
      ),
    );

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

/** Each seat speaks once in each attempt, and a lost one is given away as often as the rules say. */
function wrongVotes(
  { expectedVotes, expectedReplacements = [] }: CrashScenario,
  votes: readonly Readonly<Record<string, unknown>>[],
): readonly (readonly [FindingKind, string])[] {
  const found: (readonly [FindingKind, string])[] = [];
  for (const [before, wanted] of expectedVotes.entries()) {
    const cast = votes.filter(({ attempt }) => attempt === before + 1);
    const first = cast.filter(({ replacement }) => replacement === 0);
    const seats = new Set(first.map(({ seat }) => seat)).size;
    const all = wanted + (expectedReplacements[before] ?? 0);
    if (first.length !== wanted || seats !== wanted || cast.length !== all)
      found.push([cast.length > all ? "twice" : "lost", `votes: ${JSON.stringify(cast)}`]);
  }
  if (votes.some(({ attempt }) => Number(attempt) > expectedVotes.length))
    found.push(["twice", `votes: ${JSON.stringify(votes)}`]);
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
