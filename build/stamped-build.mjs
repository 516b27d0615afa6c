import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withLock } from "./setup/lock.mjs";
import { run } from "./setup/run-program.mjs";
import { checkoutLock, project } from "./setup/set-up.mjs";

const sources = [
  "build/setup",
  "build/worker-program.mjs",
  "resources/sandbox",
  "src-main",
  "src-renderer",
  "src-shared",
  "electron.vite.config.ts",
  "package.json",
  "package-lock.json",
];
const stampFile = join(project, "out", ".sources");

/** The build failed; the sources have to change before another try makes sense. */
export class BuildFailed extends Error {
  /** @param {string} output */
  constructor(output) {
    super(
      `The build failed:\n${output.trim()}\nThe message above names the file. For details, run \`npm run check\`.`,
    );
    this.name = "BuildFailed";
  }
}

/** Names, sizes and times of all sources: a few hundred calls, no reading. */
function sourcesStamp() {
  const hash = createHash("sha256");
  /** @param {string} path */
  const add = (path) => {
    const stat = statSync(join(project, path), { throwIfNoEntry: false });
    if (!stat) return;
    if (!stat.isDirectory()) {
      if (!/\.test\.tsx?$/.test(path)) hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
      return;
    }
    for (const name of readdirSync(join(project, path)).sort()) add(join(path, name));
  };
  for (const source of sources) add(source);
  return hash.digest("hex");
}

const isBuilt = () =>
  existsSync(stampFile) &&
  readFileSync(stampFile, "utf8") === sourcesStamp() &&
  existsSync(join(project, "out", "main"));

/**
 * Builds `out/` unless it was built from exactly these sources.
 * @param {string} node
 * @param {(line: string) => void} say
 */
export async function buildIfNeeded(node, say) {
  if (isBuilt()) return;
  await withLock(checkoutLock("build"), async () => {
    if (isBuilt()) return;
    say("building");
    // Read before the build: a file saved while it runs must lead to another one.
    const stamp = sourcesStamp();
    const { code, output } = await run(
      node,
      [join(project, "node_modules/electron-vite/bin/electron-vite.js"), "build"],
      {
        cwd: project,
        limitMs: 10 * 60_000,
      },
    );
    if (code !== 0) throw new BuildFailed(output);
    mkdirSync(dirname(stampFile), { recursive: true });
    writeFileSync(stampFile, stamp);
  });
}
