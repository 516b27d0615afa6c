/** Installs agents in the versions that `hox doctor` names, once, into Hox's cache. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../../build/setup/lock.mjs";
import { run } from "../../build/setup/run-program.mjs";
import { cacheFolder } from "../../src-main/config/state-folder.ts";
import { type Dialect, findAgent } from "../../src-main/external-agents/dialects.ts";

const installMs = 10 * 60_000;

/** An agent could not be installed. */
export class NotInstalled extends Error {
  override readonly name = "NotInstalled";
}

/**
 * @returns the folder with its program, for PATH
 * @throws NotInstalled
 */
export async function installedAgent(dialect: Dialect, say: (line: string) => void): Promise<string> {
  const packages = dialect.packages.map(({ name, version }) => `${name}@${version}`);
  const folder = join(
    cacheFolder(),
    "agents",
    `${dialect.id}-${dialect.packages.map(({ version }) => version).join("-")}`,
  );
  const programs = join(folder, "node_modules", ".bin");
  const isThere = (): boolean => findAgent(dialect, { model: null, maxTurns: 1 }, programs) !== null;
  return withLock(join(cacheFolder(), "locks", `agent-${dialect.id}`), async () => {
    if (isThere()) return programs;
    say(`installing ${packages.join(", ")}`);
    const draft = `${folder}.new`;
    for (const old of [draft, folder]) rmSync(old, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, "package.json"), '{"private":true}\n');
    const args = ["install", "--save-exact", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
    const { code, output } = await run("npm", args, { cwd: draft, limitMs: installMs });
    if (code === 0) renameSync(draft, folder);
    if (code === 0 && isThere()) return programs;
    const why = output.trim().split("\n").at(-1) || `npm install exited with ${code}`;
    throw new NotInstalled(`${dialect.label} could not be installed: ${why}`);
  });
}
