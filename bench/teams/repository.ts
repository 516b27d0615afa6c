/** The repository of one project: its files, its features as commits, and tests in checkouts of any commit. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Surroundings, shell } from "../../e2e/real/repository.ts";
import { readReport } from "../../src-shared/domain/project/failure-report.ts";
import {
  type Feature,
  type FeatureSet,
  type Files,
  sourcesOf,
  type TeamProject,
  withFeatures,
} from "./feature.ts";

/** Two features whose patches conflict textually, and the files in which they do. */
export interface CollidingPair {
  readonly a: string;
  readonly b: string;
  readonly files: readonly string[];
}

export interface Truth {
  readonly base: string;
  readonly baseFiles: Files;
  /** Feature → the git-format diff of its patch alone. */
  readonly diffs: Readonly<Record<string, string>>;
  readonly pairs: readonly CollidingPair[];
  /** Names of tests that fail on the base; null: some without a name. */
  readonly failing: readonly string[];
}

const git = async ({ root, environment }: Surroundings, command: string): Promise<string> => {
  const { code, output } = await shell(`git ${command}`, root, environment);
  if (code !== 0) throw new Error(`git ${command}: ${output.trim()}`);
  return output;
};

/** The files that features change, as the project has them. */
const filesOf = (root: string, features: readonly Feature[]): Files =>
  Object.fromEntries(
    [...new Set(features.flatMap(sourcesOf))].flatMap((path) =>
      existsSync(join(root, path)) ? [[path, readFileSync(join(root, path), "utf8")] as const] : [],
    ),
  );

/** A fresh checkout of a commit in which the project's tests run, without the folder that Hox works in. */
export async function withCheckout<Result>(
  { prepare }: TeamProject,
  there: Surroundings,
  commit: string,
  work: (checkout: Surroundings) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(join(there.folder, "checkout-"));
  const checkout = { ...there, root, environment: { ...there.environment, ROOT: there.root } };
  try {
    await git(there, `clone --quiet --no-checkout '${there.root}' '${root}'`);
    await git(checkout, `checkout --quiet --detach ${commit}`);
    const { code, output } = await shell(prepare, root, checkout.environment);
    if (code !== 0) throw new Error(`${prepare}: ${output}`);
    return await work(checkout);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function write(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** Ids of the features whose tests pass in a checkout. */
export async function passing(
  { testOne }: TeamProject,
  { root, environment }: Surroundings,
  features: readonly Feature[],
): Promise<readonly string[]> {
  const passed: string[] = [];
  for (const { id, test } of features) {
    // An agent may have changed it: what counts is the test as it was meant.
    await write(root, { [test.path]: test.content });
    if ((await shell(testOne(test.path), root, environment)).code === 0) passed.push(id);
  }
  return passed;
}

/** Names of the project's tests that fail in a checkout; one that nobody can name counts as one. */
export async function failingTests(
  { testAll }: TeamProject,
  { root, environment }: Surroundings,
): Promise<readonly string[]> {
  const { code, output } = await shell(testAll, root, environment);
  if (code === 0) return [];
  const { failures } = readReport({ output, workspace: root, command: testAll, exitCode: code });
  return failures ?? ["a test without a name"];
}

/** Commits of each feature alone, in a clone that is thrown away. */
async function commitFeatures(
  clone: Surroundings,
  base: string,
  baseFiles: Files,
  features: readonly Feature[],
): Promise<ReadonlyMap<Feature, string>> {
  const commits = new Map<Feature, string>();
  for (const feature of features) {
    await git(clone, `checkout --quiet --detach ${base}`);
    await git(clone, "clean --quiet -fd --exclude=node_modules --exclude=.venv");
    await write(clone.root, withFeatures(baseFiles, [feature]));
    await git(clone, "add --all -- ':!node_modules' ':!.venv'");
    await git(clone, `commit --quiet -m '${feature.id}'`);
    commits.set(feature, (await git(clone, "rev-parse HEAD")).trim());
  }
  return commits;
}

/**
 * What is true of a set before any agent works on it: each test fails without its feature and passes with all of them,
 * and which pairs of patches `git merge-tree` cannot merge.
 *
 * @throws Error where a feature is not what it should be
 */
export async function truthOf(project: TeamProject, there: Surroundings, set: FeatureSet): Promise<Truth> {
  const base = (await git(there, "rev-parse main")).trim();
  const { features } = set;
  const baseFiles = filesOf(there.root, features);
  return withCheckout(project, there, base, async (clone) => {
    const failing = await failingTests(project, clone);
    const early = await passing(project, clone, features);
    if (early.length > 0) throw new Error(`${project.name}: ${early} pass without their features.`);
    await write(clone.root, withFeatures(baseFiles, features));
    const passed = await passing(project, clone, features);
    const broken = features.filter(({ id }) => !passed.includes(id)).map(({ id }) => id);
    const newlyFailing = (await failingTests(project, clone)).filter((name) => !failing.includes(name));
    if (broken.length > 0 || newlyFailing.length > 0)
      throw new Error(`${project.name}/${set.name} all together: ${[...broken, ...newlyFailing]} fail.`);
    await git(clone, `checkout --quiet --force --detach ${base}`);
    const commits = await commitFeatures(clone, base, baseFiles, features);
    const diffs: Record<string, string> = {};
    for (const [{ id }, commit] of commits) diffs[id] = await git(clone, `diff ${base} ${commit}`);
    return { base, baseFiles, diffs, pairs: await collidingPairs(clone, commits), failing };
  });
}

async function collidingPairs(
  { root, environment }: Surroundings,
  commits: ReadonlyMap<Feature, string>,
): Promise<readonly CollidingPair[]> {
  const pairs: CollidingPair[] = [];
  const all = [...commits];
  for (const [at, [a, one]] of all.entries())
    for (const [b, other] of all.slice(at + 1)) {
      const { code, output } = await shell(
        `git merge-tree --write-tree --name-only --no-messages ${one} ${other}`,
        root,
        environment,
      );
      if (code > 1) throw new Error(`git merge-tree: ${output}`);
      if (code === 1) pairs.push({ a: a.id, b: b.id, files: output.trim().split("\n").slice(1) });
    }
  return pairs;
}

/** What a run left in the project's repository. */
export interface Landed {
  readonly commit: string;
  /** Git-format, from the base. */
  readonly diff: string;
  readonly commits: number;
}

export async function landedOn(there: Surroundings, base: string): Promise<Landed> {
  const commit = (await git(there, "rev-parse main")).trim();
  return {
    commit,
    diff: await git(there, `diff ${base} ${commit}`),
    commits: Number(await git(there, `rev-list --count ${base}..${commit}`)),
  };
}

/**
 * Most sides of a conflict in any commit that the run's tasks or their integration ever had; 1 where none was in
 * conflict. jj keeps the trees of a conflict in the commit's header: sides and, between them, bases.
 */
export async function mostSides(there: Surroundings): Promise<number> {
  const output = await git(
    there,
    "cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)' | sed -n 's/^commit //p' | git cat-file --batch | grep -aE '^([0-9a-f]{40} commit|jj:trees |Hox-Kind: )'",
  );
  const sides = output
    .split(/^[0-9a-f]{40} commit .*$/mu)
    .filter((commit) => /^Hox-Kind: (?:task|integration)$/mu.test(commit))
    .map((commit) => /^jj:trees (.+)$/mu.exec(commit)?.[1] ?? "")
    .map((trees) => (trees.split(" ").length + 1) / 2);
  return Math.max(1, ...sides);
}
