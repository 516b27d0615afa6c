import { rm } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "../build/setup/lock.mjs";
import { NotPossible } from "../e2e/real/project.ts";
import type { Surroundings } from "../e2e/real/repository.ts";
import { cacheFolder } from "../src-main/config/state-folder.ts";
import type { Bench } from "./row.ts";
import type { FeatureSet, TeamProject } from "./teams/feature.ts";
import { projects } from "./teams/projects/projects.ts";
import {
  failingTests,
  landedOn,
  mostSides,
  passing,
  type Truth,
  truthOf,
  withCheckout,
} from "./teams/repository.ts";
import { type Outcome, rowsOf, spendingTable, tableOf } from "./teams/rows.ts";
import { freshProject, type RealModel, type RunOptions, runSet } from "./teams/run.ts";
import { lostWork, type Observed, pairScore, resolvedBy, type Score } from "./teams/score.ts";
import type { Fault } from "./teams/script.ts";

const say = (line: string): void => void process.stderr.write(`bench: teams: ${line}\n`);
const cache = join(cacheFolder(), "teams");

/** The set of each project that is run unless `--all` asks for more: different ones, so that few runs show most. */
const quickSets = ["lines", "apart", "moved", "places"];
/** With `--faulty` every agent of a team does something wrong, in the order of its features, and the host is killed. */
const faults: readonly (Fault | null)[] = ["edits-beyond", "stops-half-way", "answers-late", null];

interface Chosen {
  readonly project: TeamProject;
  readonly set: FeatureSet;
}

/** `HOX_BENCH_TEAMS=click,minimist/lines` picks projects and sets by the beginnings of their names. */
function chosen(): readonly Chosen[] {
  const all = projects.flatMap((project) => project.sets.map((set) => ({ project, set })));
  const { HOX_BENCH_TEAMS: picked, HOX_BENCH_ALL: isAll, HOX_BENCH_FAULTY: isFaulty } = process.env;
  if (picked !== undefined)
    return all.filter(({ project, set }) =>
      picked.split(",").some((name) => `${project.name}/${set.name}`.startsWith(name)),
    );
  if (isAll !== undefined) return all;
  return projects.flatMap((project, at) => {
    const name = isFaulty === undefined ? quickSets[at % quickSets.length] : "lines";
    return project.sets.filter((set) => set.name === name).map((set) => ({ project, set }));
  });
}

/** The model that `--key-env` names a key for; null: scripted words. */
function realModel(): RealModel | null {
  const { HOX_BENCH_KEY_ENV: variable, HOX_BENCH_ENDPOINT: url, HOX_BENCH_MODEL: model } = process.env;
  if (variable === undefined) return null;
  const apiKey = process.env[variable];
  if (!apiKey)
    throw new Error(
      `The variable ${variable} that --key-env names is empty. Put a key of a provider into it.`,
    );
  return { apiKey, model: model ?? "claude-haiku-5-5", ...(url === undefined ? {} : { url }) };
}

/** What landed, by the tests of features and project in a fresh checkout. */
async function scoreOf(
  { project, set }: Chosen,
  there: Surroundings,
  truth: Truth,
  team: Observed,
): Promise<Score> {
  const landed = await landedOn(there, truth.base);
  const tested = await withCheckout(project, there, landed.commit, async (checkout) => ({
    passing: await passing(project, checkout, set.features),
    failing: await failingTests(project, checkout),
  }));
  const lost = lostWork(set.features, truth, landed);
  return {
    passing: tested.passing.length,
    features: set.features.length,
    newlyFailing: tested.failing.filter((name) => !truth.failing.includes(name)).length,
    lostLines: lost.reduce((sum, { missing }) => sum + missing, 0),
    lostTests: lost.reduce((sum, { tests }) => sum + tests.length, 0),
    ...pairScore(truth.pairs, team),
    resolved: resolvedBy(team.resolutions, team.cards),
    mostSides: await mostSides(there),
    commits: landed.commits,
  };
}

/** A set done by a team and then by one agent alone, each in the project as it was published. */
async function measure(one: Chosen, real: RealModel | null): Promise<Outcome> {
  const { project, set } = one;
  const isFaulty = process.env.HOX_BENCH_FAULTY !== undefined;
  const name = `${project.name}/${set.name}`;
  let there = await freshProject(project, cache);
  try {
    say(`${name}, ${set.meets}: which features collide`);
    const truth = await truthOf(project, there, set);
    const options: RunOptions = { project, set, base: truth.baseFiles, real, say };
    say(`${name}: a team`);
    const team = await runSet(there, {
      ...options,
      ...(isFaulty ? { kills: true, faults: faultsOf(set) } : {}),
    });
    const score = await scoreOf(one, there, truth, team);
    there = await freshProject(project, cache);
    say(`${name}: one agent alone`);
    const alone = await runSet(there, { ...options, isAlone: true });
    const { commit } = await landedOn(there, truth.base);
    const passed = await withCheckout(project, there, commit, (checkout) =>
      passing(project, checkout, set.features),
    );
    return { name: isFaulty ? `${name}, faulty` : name, team, score, alone, passingAlone: passed.length };
  } finally {
    await rm(there.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const faultsOf = ({ features }: FeatureSet): Readonly<Record<string, Fault>> =>
  Object.fromEntries(
    features.flatMap(({ id }, at) => {
      const fault = faults[at % faults.length];
      return fault ? [[id, fault] as const] : [];
    }),
  );

/**
 * A team of agents beside one agent: features for projects of others, from sets in which none collide to sets in which
 * all do. Hox, jj, checks and the projects' tests are real; the words of the models are scripted, unless `--key-env`
 * names a key. `--all` runs every set, `--faulty` lets agents and host fail.
 */
const bench: Bench = {
  name: "teams",
  async *run() {
    const real = realModel();
    const outcomes: Outcome[] = [];
    for (const one of chosen()) {
      try {
        // It is at the same path each time.
        const outcome = await withLock(
          join(cache, "locks", one.project.name),
          () => measure(one, real),
          () => say(`waits for another run over ${one.project.name}`),
        );
        outcomes.push(outcome);
        yield* rowsOf(outcome);
      } catch (error) {
        if (!(error instanceof NotPossible)) throw error;
        say(`${one.project.name} was left out: ${error.message}. ${error.remedy}`);
      }
    }
    process.stderr.write(`\n${tableOf(outcomes)}\n\n${spendingTable(outcomes)}\n`);
  },
};

export default bench;
