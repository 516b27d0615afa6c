/** A project as its user has it: a Git repository with one commit, its dependencies installed, always at the same path. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../../build/setup/run-program.mjs";
import { trustRepositoryConfig } from "../../src-main/config/write-settings.ts";
import { archiveFile, unpack } from "./archives.ts";
import { NotPossible, type RealProject } from "./project.ts";

/** What a user's shell has. Git has its name; jj is not configured at all. */
export interface Surroundings {
  /** Holds all of this project: the repository, what Hox keeps, settings. */
  readonly folder: string;
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
}

const installMs = 15 * 60_000;

/** Which way of setting up is behind what is kept. */
const version = 1;

/** Throws `NotPossible` where the machine has not got what it takes. */
export async function setUpProject(
  project: Pick<RealProject, "name" | "archive" | "programs" | "files" | "install" | "fetch">,
  cache: string,
  say: (line: string) => void,
): Promise<Surroundings> {
  for (const { name, remedy, probe } of project.programs) {
    const { code } = await shell(probe ?? `command -v ${name}`, "/");
    if (code !== 0) throw new NotPossible(`there is no ${name}`, remedy);
  }
  const folder = join(cache, "work", project.name);
  const root = join(folder, project.name);
  const { archive, files = {}, install = [], fetch = [] } = project;
  const key = createHash("sha256")
    .update(JSON.stringify([version, root, archive, files, install]))
    .digest("hex")
    .slice(0, 12);
  const kept = join(cache, "prepared", `${project.name}-${key}.tar`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const gitSettings = join(folder, "gitconfig");
  writeFileSync(
    gitSettings,
    "[init]\ndefaultBranch = main\n[user]\nname = Pat User\nemail = pat@example.org\n[gc]\nauto = 0\n",
  );
  mkdirSync(join(folder, "jj"));
  const environment = {
    GIT_CONFIG_GLOBAL: gitSettings,
    GIT_CONFIG_NOSYSTEM: "1",
    JJ_CONFIG: join(folder, "jj"),
    HOX_STATE: join(folder, "state"),
  };
  const steps = async (commands: readonly string[]): Promise<void> => {
    for (const command of commands) {
      say(command);
      const { code, output } = await shell(command, root, environment, installMs);
      if (code !== 0)
        throw new NotPossible(
          `"${command}" failed: ${output.trim().split("\n").slice(-3).join(" ")}`,
          "Where a registry was not reached, connect to a network in which it answers.",
        );
    }
  };
  if (existsSync(kept)) await steps([`tar -xf '${kept}'`]);
  else {
    await unpack(archive, await archiveFile(archive, cache), root);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    await steps([
      "git init --quiet",
      ...install,
      "git add --all",
      "git commit --quiet -m 'As it was published'",
    ]);
    mkdirSync(dirname(kept), { recursive: true });
    const draft = `${kept}.${process.pid}`;
    await steps([`tar -cf '${draft}' .`]);
    renameSync(draft, kept);
  }
  await steps(fetch);
  await trustRepositoryConfig(environment.HOX_STATE, root);
  return { folder, root, environment };
}

/** A command as its user types it. */
export const shell = (
  command: string,
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
  limitMs = 10 * 60_000,
) => run("sh", ["-c", command], { cwd, env: { ...ownEnvironment(), ...environment }, limitMs });

/** Without what `npm run` puts there, which no shell of a user has. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_|NODE_|VITEST|INIT_CWD$|ANTHROPIC_|HOX_STATE$|TEST$|DEV$|PROD$|MODE$|BASE_URL$|SSR$)/u.test(
        name,
      ),
  );
  const path = (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !folder.includes("node_modules") && !folder.includes("node-gyp-bin"));
  // Shells within shells name a folder twice; a command of an agent has it once, and what is built may hang on the text.
  return { ...Object.fromEntries(own), PATH: [...new Set(path)].join(":") };
}
