import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { builtFolder } from "../e2e/host.ts";
import { toolPath } from "../src-main/config/tools.ts";
import { openApp, painted, playgroundWith } from "./app-in-browser.ts";
import { bareStart } from "./bare-start.ts";
import { type Bench, percentile, row } from "./row.ts";
import { steadyRun } from "./steady.ts";

const rounds = 5;
const changes = 1_000;

/** From `hox run` at a prompt to the first request that its model gets. */
async function firstRequest(): Promise<number> {
  const run = await steadyRun({ tasks: 1, iterations: 1 }, { agents: 1, latencyMs: 0 });
  try {
    const started = performance.now();
    const child = spawn(
      toolPath("node"),
      [
        join(builtFolder, "main", "cli.js"),
        "run",
        "--goal",
        "Measure",
        "--repo",
        run.root,
        "--approve",
        "plan",
      ],
      {
        env: {
          ...process.env,
          JJ_CONFIG: join(run.folder, "config.toml"),
          HOX_STATE: run.stateFolder,
          ANTHROPIC_API_KEY: run.standIn.apiKey,
          ANTHROPIC_BASE_URL: run.standIn.url,
        },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    const deadline = started + 60_000;
    while (run.standIn.count() === 0) {
      if (child.exitCode !== null)
        throw new Error(`hox run ended with code ${child.exitCode} and asked nothing.`);
      if (performance.now() > deadline) throw new Error("hox run has asked its model nothing in a minute.");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const value = performance.now() - started;
    child.kill("SIGKILL");
    await once(child, "exit");
    return value;
  } finally {
    await run.remove();
  }
}

/** From the start of the host with a folder to its graph in a browser that was not running. */
async function usableWindow(): Promise<number> {
  const { playground, root } = await playgroundWith({ changes });
  try {
    const started = performance.now();
    const app = await openApp(playground, root);
    await painted(app.page);
    const value = performance.now() - started;
    await app.close();
    return value;
  } finally {
    await playground.remove();
  }
}

async function several(measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure());
  return percentile(values, 50);
}

const bench: Bench = {
  name: "start",
  async *run() {
    const reference = await bareStart();
    const request = await several(firstRequest);
    yield row({
      name: "hox run → the first model request",
      value: request,
      unit: "ms",
      reference,
      hold: "≤ 2000 ms",
      ok: request <= 2000,
    });
    const window = await several(usableWindow);
    yield row({
      name: "host and browser start → the graph is on screen",
      value: window,
      unit: "ms",
      reference,
      hold: "≤ 2000 ms",
      ok: window <= 2000,
    });
  },
};

export default bench;
