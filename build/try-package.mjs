#!/usr/bin/env node
/**
 * Starts each package that `npm run dist` has made, waits until its window shows the graph of a repository, and closes
 * it: `node build/try-package.mjs [package …]`. On a Linux machine without a display: `xvfb-run node build/try-package.mjs`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { startApp } from "./packaged-app.mjs";
import { makeReady, packagesIn } from "./packages.mjs";
import { run } from "./setup/run-program.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";

const words = "Seen in a packaged window";

/** A repository with one change for the window to show. @param {string} jj @param {string} folder @param {NodeJS.ProcessEnv} env */
async function makeRepository(jj, folder, env) {
  mkdirSync(folder);
  for (const args of [
    ["git", "init", "."],
    ["describe", "-m", words],
  ]) {
    const { code, output } = await run(jj, args, { cwd: folder, env });
    if (code !== 0) throw new Error(`jj ${args.join(" ")}: ${output}`);
  }
}

/** @param {string} file @param {string} jj */
async function tryPackage(file, jj) {
  const folder = mkdtempSync(join(tmpdir(), "hox-package-"));
  /** @type {import("./packages.mjs").Installed | undefined} */
  let installed;
  try {
    writeFileSync(join(folder, "jj.toml"), '[user]\nname = "Test"\nemail = "test@example.org"\n');
    const env = { ...process.env, JJ_CONFIG: join(folder, "jj.toml"), HOX_STATE: join(folder, "state") };
    const repository = join(folder, "project");
    await makeRepository(jj, repository, env);
    installed = await makeReady(file, join(folder, "app"));
    const app = await startApp(installed.program, { folder: repository, env: { ...env, ...installed.env } });
    try {
      await app.shows(words);
      await app.close();
    } finally {
      app.kill();
    }
  } finally {
    await installed?.remove?.();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

async function tryPackages() {
  if (!("WebSocket" in globalThis))
    throw new Error(
      `Node ${process.versions.node} has no WebSocket. Run it with \`node_modules/.bin/node build/try-package.mjs\`.`,
    );
  const { jj } = await setUp();
  if (!jj.path) throw new Error(`${jj.note}. ${jj.remedy}`);
  const named = process.argv.slice(2).map((file) => resolve(file));
  const files = named.length > 0 ? named : packagesIn(join(project, "dist"));
  if (files.length === 0) throw new Error("No package in dist. Build one with `npm run dist`.");
  let failed = 0;
  for (const file of files) {
    const since = Date.now();
    const problem = await tryPackage(file, jj.path).then(
      () => undefined,
      (error) => /** @type {Error} */ (error).message,
    );
    if (problem !== undefined) {
      failed++;
      process.stdout.write(`${problem}\n`);
    }
    const seconds = ((Date.now() - since) / 1000).toFixed(1);
    process.stdout.write(`${problem === undefined ? "ok  " : "FAIL"} ${basename(file)}  ${seconds} s\n`);
  }
  process.stdout.write(`${files.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

process.exit(
  await tryPackages().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
