/** The whole way of a user with one project: preflight, a run that lands, the project's own tests afterwards. */

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "../../build/setup/lock.mjs";
import { startStandIn } from "../../src-main/model/stand-in/stand-in.ts";
import type { RunView } from "../../src-shared/contract/views/run.ts";
import { readReport } from "../../src-shared/domain/project/failure-report.ts";
import type { LookedCheck } from "../../src-shared/domain/project/preflight.ts";
import type { ProjectFacts } from "../../src-shared/domain/project/project-facts.ts";
import { totalTokens } from "../../src-shared/domain/spending/usage.ts";
import { type HoxCommand, hox, type Line } from "./hox.ts";
import { NotPossible, type RealProject } from "./project.ts";
import { type Surroundings, setUpProject, shell } from "./repository.ts";
import { scriptOf } from "./script.ts";
import { failedEdits, triedWrongly } from "./tried.ts";

const looked = (line: Line): boolean => line.kind === "check";

export interface Walk {
  readonly project: string;
  readonly language: string;
  /** Checks that preflight found, by name. */
  readonly found: readonly string[];
  readonly baseline: {
    readonly passed: number;
    readonly failed: number;
    readonly missing: number;
    /** Names of tests that were red as the project came. */
    readonly baselineFailures: readonly string[];
    readonly seconds: number;
  };
  readonly runSeconds: number;
  readonly tokens: number;
  readonly landed: boolean;
  /** Whether the project's own tests came out as they should, outside Hox, with the new one among them. */
  readonly ownTests: boolean;
  /** What was not as it should be; empty: all of it was. */
  readonly wrong: readonly string[];
  /** Nothing was tried, because of this. */
  readonly impossible: { readonly reason: string; readonly remedy: string } | null;
}

const none = {
  found: [],
  baseline: { passed: 0, failed: 0, missing: 0, baselineFailures: [], seconds: 0 },
  runSeconds: 0,
  tokens: 0,
  landed: false,
  ownTests: false,
};

export interface WalkOptions {
  readonly cache: string;
  readonly command: HoxCommand;
  readonly say: (line: string) => void;
  /** Leaves all of it where it is, for a look. */
  readonly keep?: boolean;
}

export async function walk(
  project: RealProject,
  { cache, command, say, keep = false }: WalkOptions,
): Promise<Walk> {
  // It is at the same path each time: a second walk would remove it under the first.
  return withLock(
    join(cache, "locks", project.name),
    () => walkAlone(project, { cache, command, say, keep }),
    () => say("waits for another walk through it"),
  );
}

async function walkAlone(
  project: RealProject,
  { cache, command, say, keep }: WalkOptions & { readonly keep: boolean },
): Promise<Walk> {
  const named = { project: project.name, language: project.language };
  let there: Surroundings | null = null;
  try {
    there = await setUpProject(project, cache, say);
    return { ...named, ...(await walkThrough({ project, there, command, say })), impossible: null };
  } catch (error) {
    if (error instanceof NotPossible)
      return { ...named, ...none, wrong: [], impossible: { reason: error.message, remedy: error.remedy } };
    return {
      ...named,
      ...none,
      wrong: [error instanceof Error ? error.message : String(error)],
      impossible: null,
    };
  } finally {
    if (there !== null && !keep) await rm(there.folder, { recursive: true, force: true });
  }
}

/** What every step of a walk needs. */
interface Way {
  readonly project: RealProject;
  readonly there: Surroundings;
  readonly command: HoxCommand;
  readonly say: (line: string) => void;
}

interface Looked {
  readonly checks: readonly LookedCheck[];
  readonly baselineFailures: readonly string[];
  readonly wrong: readonly string[];
}

interface Ran {
  readonly landed: boolean;
  readonly runSeconds: number;
  readonly tokens: number;
  readonly wrong: readonly string[];
}

async function walkThrough(way: Way): Promise<Omit<Walk, "project" | "language" | "impossible">> {
  const { project, there } = way;
  const { root, environment } = there;
  await settle(way);
  const { checks, baselineFailures, wrong: wronglyLooked } = await look(way);
  const failuresIn = ({ output, code }: Awaited<ReturnType<typeof shell>>) =>
    readReport({ output, workspace: root, command: project.test, exitCode: code }).failures;
  // Its own tests may be red now and then: what was red in either of two tries was red before.
  const redBefore =
    baselineFailures.length > 0
      ? [...baselineFailures, ...(failuresIn(await shell(project.test, root, environment)) ?? [])]
      : [];
  const before = (await shell("git rev-parse HEAD", root, environment)).output.trim();
  const { wrong: wronglyRan, ...ran } = await runGoal(way);
  const own = await shell(project.test, root, environment);
  // What was red before may be red afterwards, and nothing else.
  const redAfter = own.code === 0 ? [] : failuresIn(own);
  const newlyRed = redAfter?.filter((name) => !redBefore.includes(name)) ?? ["something without a name"];
  const ownTests = newlyRed.length === 0 && project.proof.test(own.output);
  const wronglyTested = `its own tests (${project.test}, ${own.code}), newly red: ${newlyRed.join("; ") || "none"} | ${lastLines(own.output)}`;
  return {
    found: checks.map(({ name }) => name),
    baseline: {
      passed: checks.filter(({ outcome }) => outcome === "passed").length,
      failed: checks.filter(({ outcome }) => outcome === "failed" || outcome === "timed-out").length,
      missing: checks.filter(({ outcome }) => outcome === "missing").length,
      baselineFailures,
      seconds: checks.reduce((sum, { ms }) => sum + ms, 0) / 1000,
    },
    ...ran,
    ownTests,
    wrong: [
      ...wronglyLooked,
      ...wronglyRan,
      ...(ownTests ? [] : [wronglyTested]),
      ...(ran.landed ? await wronglyLanded(way, before) : []),
    ],
  };
}

/** As a team would: the settings belong to the project. */
async function settle({ there, command, say }: Way): Promise<void> {
  const init = await hox(command, ["init", "--yes"], there, say);
  if (init.code !== 0) throw new Error(`hox init: ${init.errors}`);
  const settled = await shell(
    "git add --all && { git diff --cached --quiet || git commit --quiet -m 'Settings of Hox'; }",
    there.root,
    there.environment,
  );
  if (settled.code !== 0) throw new Error(settled.output);
}

/** Preflight, as a user has it. */
async function look({ project, there, command, say }: Way): Promise<Looked> {
  const { lines, errors, code } = await hox(command, ["check"], there, say);
  const checks = lines.filter(looked) as unknown as readonly LookedCheck[];
  if (checks.length === 0) throw new Error(`hox check found nothing (${code}): ${errors}`);
  for (const one of checks)
    say(
      `${one.name}: ${one.outcome}, ${(one.ms / 1000).toFixed(1)} s, ${one.command}${one.remedy ? ` (${one.remedy})` : ""}`,
    );
  const wrong: string[] = [];
  const absent = project.checks.filter(
    (name) => !checks.some((one) => one.name === name && one.outcome !== "missing"),
  );
  if (absent.length > 0) wrong.push(`checks that were not found: ${absent.join(", ")}`);
  const facts = lines.find(({ kind }) => kind === "project") as Pick<ProjectFacts, "workspaces"> | undefined;
  const packages = facts?.workspaces ?? [];
  if (packages.length > 0) say(`${packages.length} packages: ${packages.map(({ name }) => name).join(", ")}`);
  if (project.shows.includes("monorepo") && packages.length < 2)
    wrong.push("it is meant to hold several packages, and they were not found");
  const baselineFailures = checks.flatMap(({ failures }) => failures ?? []).toSorted();
  const isRed = project.shows.includes("red");
  if (isRed && baselineFailures.length === 0) wrong.push("it is meant to be red, and no failure has a name");
  for (const one of checks.filter(
    ({ outcome, failures }) => outcome === "timed-out" || (outcome === "failed" && failures === null),
  ))
    wrong.push(`${one.name} ${one.outcome} on the base: ${lastLines(one.output)}`);
  return { checks, baselineFailures, wrong };
}

/** A run with everything approved in advance, of which the words of the models are scripted. */
async function runGoal({ project, there, command, say }: Way): Promise<Ran> {
  const standIn = await startStandIn({ script: scriptOf(project), keepRequests: true });
  const approved = "preflight,plan,mutations,merge_requests,land";
  const toStandIn = { ANTHROPIC_API_KEY: standIn.apiKey, ANTHROPIC_BASE_URL: standIn.url };
  const hoxRun = (...args: string[]) =>
    hox(command, ["run", ...args, "--approve", approved], there, say, toStandIn);
  const begun = performance.now();
  const run = await hoxRun("--goal", project.goal, "--max-tokens", "3000000")
    .then((first) =>
      project.shows.includes("unproven")
        ? landUnproven({ there, command, say }, first, () => hoxRun())
        : first,
    )
    .finally(() => standIn.close());
  const runSeconds = (performance.now() - begun) / 1000;
  const end = run.lines.find(({ kind }) => kind === "end") as
    // A run that stopped at a question says which, and nothing of what it came to.
    (Partial<Pick<RunView, "landed" | "failure" | "budget">> & { readonly unchecked?: boolean }) | undefined;
  const wrong = standIn.unmatched().map((one) => `asked and not in the script: ${one}`);
  const landed = run.code === 0 && end?.landed?.bookmark === "main";
  if (!landed)
    wrong.push(
      `it did not land (${run.code}): ${end?.failure?.reason ?? run.errors.trim().split("\n").at(-1) ?? ""} ${JSON.stringify(end)?.slice(0, 500)}`,
    );
  if (landed && end?.unchecked) wrong.push("it landed unchecked");
  const results = standIn
    .requests()
    .flatMap(({ seen }) => seen.results.map((result) => ({ role: seen.role, ...result })));
  for (const work of project.work) wrong.push(...triedWrongly(work, results));
  wrong.push(...failedEdits(results));
  return { landed, runSeconds, tokens: end?.budget ? totalTokens(end.budget.spent.usage) : 0, wrong };
}

/** What no check proves lands by a user's word alone: without it the run waits. */
async function landUnproven(
  { there, command, say }: Omit<Way, "project">,
  run: Awaited<ReturnType<typeof hox>>,
  goOn: () => ReturnType<typeof hox>,
): ReturnType<typeof hox> {
  const end = run.lines.find(({ kind }) => kind === "end");
  if (run.code !== 3 || end?.card !== "land")
    throw new Error(`it did not ask about what no check proves (${run.code}): ${JSON.stringify(end)}`);
  const why = ["without", "The base could not be checked either."];
  const answered = await hox(command, ["answer", String(end.name), ...why], there, say);
  if (answered.code !== 0) throw new Error(`hox answer: ${answered.errors}`);
  return goOn();
}

/** What Git says of the commits that landed on `before`. */
async function wronglyLanded({ project, there }: Way, before: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  const git = async (args: string): Promise<string> =>
    (await shell(`git ${args}`, there.root, there.environment)).output.trim();
  const status = await git("status --porcelain");
  if (status !== "") wrong.push(`git status names ${status}`);
  const branch = await git("symbolic-ref --short HEAD");
  if (branch !== "main") wrong.push(`git stands on ${branch}`);
  const author = await git(`log --format=%an ${before}..HEAD`);
  if (author === "" || author.split("\n").some((name) => name !== "Pat User"))
    wrong.push(`the new commits are by ${author || "nobody"}`);
  const changed = (await git(`diff --name-only ${before} HEAD`)).split("\n").toSorted();
  const meant = [...new Set(project.work.flatMap(({ edits }) => edits.map(({ path }) => path)))].toSorted();
  if (changed.join("\n") !== meant.join("\n"))
    wrong.push(`the commits change ${changed.join(", ")}; meant are ${meant.join(", ")}`);
  for (const path of meant) if (!existsSync(`${there.root}/${path}`)) wrong.push(`${path} is not there`);
  return wrong;
}

const lastLines = (output: string): string => output.trim().split("\n").slice(-12).join(" | ");
