import { fitsGlob } from "../files/glob.ts";
import {
  check,
  type Fact,
  type FoundCheck,
  firstOf,
  inRepository,
  type Need,
  type PartialFacts,
  type ProjectFolder,
  parseJson,
  parseYaml,
  program,
  tableIn,
  textIn,
  textsOf,
  valueIn,
} from "./project-facts.ts";

type Manager = "npm" | "pnpm" | "yarn" | "yarn-berry" | "bun";

/** JavaScript and TypeScript: from `package.json` and its lock file. (PLAN-6a) */
export function javascriptProject(project: ProjectFolder): PartialFacts | null {
  if (!project.has("package.json")) return null;
  const manifest = parseJson(project.text("package.json"));
  const isTyped = project.has("tsconfig.json");
  const language: Fact = isTyped
    ? { name: "TypeScript", reason: "tsconfig.json" }
    : { name: "JavaScript", reason: "package.json" };
  if (manifest === null) return { languages: [language], checks: [brokenPackage] };
  const { manager, fact, install } = managerOf(project, textIn(manifest, "packageManager"));
  const members = membersOf(project, manifest);
  return {
    languages: [language],
    packageManagers: [fact],
    workspaces: members.map(({ folder, reason }) => ({ name: folder, reason })),
    toolchains: toolchainsOf(project, manifest),
    checks: [
      ...scriptChecks(project, manifest, { manager, install }, members),
      ...typeCheck(project, manifest, { manager, install }, isTyped),
    ],
  };
}

/** A package.json that cannot be read (or is a pipe, or endless) must not end as "no checks, so all passed": this fails until it can. */
const brokenPackage = check(
  "fast",
  "package.json",
  "package.json cannot be read as JSON",
  `node -e "JSON.parse(require('fs').readFileSync('package.json', 'utf8'))"`,
);

interface Installing {
  readonly manager: Manager;
  /** The command that brings its packages. */
  readonly install: string;
}

function managerOf(project: ProjectFolder, declared: string | null): Installing & { readonly fact: Fact } {
  const lock = firstOf(project, [
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "package-lock.json",
    "npm-shrinkwrap.json",
  ]);
  const [, name, major] = /^(npm|pnpm|yarn|bun)@(\d+)?/u.exec(declared ?? "") ?? [];
  const byLock: Readonly<Record<string, string>> = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
  };
  const known = name ?? (lock === undefined ? undefined : byLock[lock]) ?? "npm";
  const isBerry = known === "yarn" && (Number(major ?? 1) > 1 || project.has(".yarnrc.yml"));
  const reason =
    name === undefined ? (lock ?? "package.json names no other") : `package.json: packageManager ${declared}`;
  const manager = isBerry ? "yarn-berry" : (known as Manager);
  // What holds to a lock file fails where there is none.
  const install = lock === undefined ? `${known} install` : managers[manager].install;
  return { manager, fact: { name: known, reason }, install };
}

/** The packages of a monorepo. */
function membersOf(project: ProjectFolder, manifest: ReturnType<typeof parseJson>): readonly Member[] {
  const sources: readonly (readonly [string, readonly string[]])[] = [
    ["package.json: workspaces", textsOf(valueIn(manifest, "workspaces"))],
    ["package.json: workspaces.packages", textsOf(valueIn(manifest, "workspaces", "packages"))],
    [
      "pnpm-workspace.yaml: packages",
      textsOf(valueIn(parseYaml(project.text("pnpm-workspace.yaml")), "packages")),
    ],
    ["lerna.json: packages", textsOf(valueIn(parseJson(project.text("lerna.json")), "packages"))],
  ];
  const [reason, globs] = sources.find(([, found]) => found.length > 0) ?? ["", []];
  const plain = (glob: string): string => glob.replace(/^!?(?:\.\/)?/u, "").replace(/\/$/u, "");
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map((glob) => fitsGlob(plain(glob)));
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => fitsGlob(plain(glob)));
  return project.files.flatMap((path) => {
    if (!path.endsWith("/package.json") || /(?:^|\/)node_modules\//u.test(path)) return [];
    const folder = path.slice(0, -"/package.json".length);
    if (!wanted.some((fits) => fits(folder)) || unwanted.some((fits) => fits(folder))) return [];
    const own = parseJson(project.text(path));
    return [{ folder, reason, scripts: scriptsOf(own), hasDependencies: asksForPackages(own) }];
  });
}

/** A package of a monorepo. */
interface Member {
  readonly folder: string;
  readonly reason: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** Whether packages have to be installed for it. */
  readonly hasDependencies: boolean;
}

/** Names of scripts that say something of the work and are quick; others may publish, serve or never end. */
const fastScripts = ["lint", "typecheck", "type-check", "types", "check-types", "check:types"];
/** Those of them that are about types. */
const typeScripts = fastScripts.slice(1);
/** Alternatives to a script named `test`. */
const testScripts = ["test", "test:unit", "test:ci", "tests", "unit"];
/** A script that runs tests, and one that watches files. */
const testing = /\b(?:tests?|vitest|jest|mocha|ava|tap|playwright|cypress)\b/u;
const endless = /--watch(?:All)?(?:\s|=(?!false)|$)/u;

/** A script that is a check. */
interface CheckScript {
  readonly name: string;
  readonly speed: FoundCheck["speed"];
}

/** The scripts that check the work, of all that a package and its members have. */
function checkScripts(
  own: Readonly<Record<string, string>>,
  members: readonly Member[],
): readonly CheckScript[] {
  const textsOfScript = (name: string): readonly string[] => {
    const text = own[name];
    if (text !== undefined) return [text];
    return members.flatMap(({ scripts }) => scripts[name] ?? []);
  };
  const ends = (name: string): boolean => {
    const texts = textsOfScript(name);
    return texts.length > 0 && !texts.some((text) => endless.test(text));
  };
  const fast = fastScripts.filter((name) => textsOfScript(name).length > 0);
  if (!fast.includes("lint") && ends("lint:check")) fast.unshift("lint:check");
  // Its own name is believed whatever it runs.
  const test = testScripts.find((name) => (name === "test" ? textsOfScript(name).length > 0 : ends(name)));
  const known = [...fast, ...(test === undefined ? [] : [test])];
  const runsTestTool = (text: string): boolean =>
    known.some((name) =>
      new RegExp(`\\b(?:npm|pnpm|yarn|bun)(?: run)?(?: -\\S+)* ${name}(?![\\w:-])`, "u").test(text),
    );
  const check = ends("check") && !textsOfScript("check").some(runsTestTool) ? textsOfScript("check") : [];
  const isTest = check.some((text) => testing.test(text));
  return [
    ...fast.map((name) => ({ name, speed: "fast" as const })),
    ...(check.length > 0 && !isTest ? [{ name: "check", speed: "fast" as const }] : []),
    ...(test === undefined ? [] : [{ name: test, speed: "slow" as const }]),
    ...(isTest && test === undefined ? [{ name: "check", speed: "slow" as const }] : []),
  ];
}

function scriptsOf(manifest: ReturnType<typeof parseJson>): Readonly<Record<string, string>> {
  const scripts = tableIn(manifest, "scripts") ?? {};
  return Object.fromEntries(
    Object.entries(scripts).filter(
      (entry): entry is [string, string] =>
        // What `npm init` writes always fails and says nothing about the work.
        typeof entry[1] === "string" && !entry[1].includes("no test specified"),
    ),
  );
}

interface ManagerRow {
  readonly program: string;
  /** Holds to a lock file. */
  readonly install: string;
  readonly run: string;
  /** Runs a program of the packages. */
  readonly execute: string;
  /** One script of every package that has it; null where it cannot leave out those that have not. */
  readonly everywhere: (script: string, members: readonly Member[]) => string | null;
}

const managers: Readonly<Record<Manager, ManagerRow>> = {
  npm: {
    program: "npm",
    install: "npm ci",
    run: "npm run --silent",
    execute: "npx --no-install",
    everywhere: (script) => `npm run --silent ${script} --workspaces --if-present`,
  },
  pnpm: {
    program: "pnpm",
    install: "pnpm install --frozen-lockfile",
    run: "pnpm run",
    execute: "pnpm exec",
    everywhere: (script) => `pnpm --recursive --if-present run ${script}`,
  },
  yarn: {
    program: "yarn",
    install: "yarn install --frozen-lockfile",
    run: "yarn run",
    execute: "yarn run",
    everywhere: (script, members) =>
      members.every(({ scripts }) => scripts[script]) ? `yarn workspaces run ${script}` : null,
  },
  "yarn-berry": {
    program: "yarn",
    install: "yarn install --immutable",
    run: "yarn run",
    execute: "yarn run",
    everywhere: (script) => `yarn workspaces foreach --all run ${script}`,
  },
  bun: {
    program: "bun",
    install: "bun install --frozen-lockfile",
    run: "bun run",
    execute: "bun x --no-install",
    everywhere: (script) => `bun run --filter '*' ${script}`,
  },
};

const managerNeed = (manager: Manager): Need => {
  const { program: name } = managers[manager];
  const how = name === "npm" ? "Node.js with npm" : `${name} (\`npm install --global ${name}\`)`;
  return program(name, `Install ${how}, then check again.`);
};

const asksForPackages = (manifest: ReturnType<typeof parseJson>): boolean =>
  ["dependencies", "devDependencies"].some((kind) => Object.keys(tableIn(manifest, kind) ?? {}).length > 0);

const notInstalled = (project: ProjectFolder, install: string): string =>
  `Its packages are not installed: run \`${install}\` ${inRepository(project)}. Hox copies node_modules into every workspace.`;

function installed(
  project: ProjectFolder,
  manifest: ReturnType<typeof parseJson>,
  install: string,
  members: readonly Member[],
): readonly Need[] {
  if (!asksForPackages(manifest) && !members.some(({ hasDependencies }) => hasDependencies)) return [];
  return [
    {
      name: "node_modules",
      probe: "test -d node_modules || test -f .pnp.cjs",
      remedy: notInstalled(project, install),
    },
  ];
}

function scriptChecks(
  project: ProjectFolder,
  manifest: ReturnType<typeof parseJson>,
  { manager, install }: Installing,
  members: readonly Member[],
): readonly FoundCheck[] {
  const own = scriptsOf(manifest);
  const chosen = checkScripts(own, members);
  const hints = installed(project, manifest, install, members);
  const needs = [managerNeed(manager)];
  const found = chosen.flatMap(({ name: script, speed }) => {
    const { length } = members.filter(({ scripts }) => scripts[script]);
    const command = own[script]
      ? `${managers[manager].run} ${script}`
      : length > 0
        ? managers[manager].everywhere(script, members)
        : null;
    const reason = own[script]
      ? `package.json: scripts.${script}`
      : `${length} ${length === 1 ? "package has" : "packages have"} a script ${script}`;
    return command === null ? [] : [check(speed, script, reason, command, needs, { hints })];
  });
  const tests = project.files.find((path) => bunTest.test(path) && !/(?:^|\/)node_modules\//u.test(path));
  // Bun finds tests by their names, without a script.
  if (manager !== "bun" || tests === undefined || chosen.some(({ speed }) => speed === "slow")) return found;
  const reason = `${tests}, and no script that runs it`;
  return [...found, check("slow", "bun test", reason, "bun test", needs, { hints })];
}

const bunTest = /[._](?:test|spec)\.[cm]?[jt]sx?$/u;

/** The compiler, if the project has it and no script that runs it. */
function typeCheck(
  project: ProjectFolder,
  manifest: ReturnType<typeof parseJson>,
  { manager, install }: Installing,
  isTyped: boolean,
): readonly FoundCheck[] {
  const own = scriptsOf(manifest);
  const hasCompiler = ["dependencies", "devDependencies"].some(
    (kind) => textIn(manifest, kind, "typescript") !== null,
  );
  if (!isTyped || !hasCompiler || typeScripts.some((script) => own[script])) return [];
  const compiler = {
    name: "typescript",
    probe: "test -e node_modules/.bin/tsc || test -f .pnp.cjs",
    remedy: notInstalled(project, install),
  };
  const reason = "tsconfig.json, and package.json asks for typescript";
  const command = `${managers[manager].execute} tsc --noEmit`;
  return [check("fast", "tsc", reason, command, [managerNeed(manager), compiler])];
}

function toolchainsOf(project: ProjectFolder, manifest: ReturnType<typeof parseJson>) {
  const engines = tableIn(manifest, "engines") ?? {};
  return ["node", "npm", "pnpm", "yarn", "bun"].flatMap((tool) => {
    const version = textIn(engines, tool);
    const isDefinedElsewhere = tool === "node" && (project.has(".nvmrc") || project.has(".node-version"));
    return version === null || isDefinedElsewhere ? [] : [{ tool, version, file: "package.json" }];
  });
}
