/** A worker of the repository's host, in a process that is not the host's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { HoxCommand } from "../real/hox.ts";
import { ownEnvironment, type Surroundings } from "../real/repository.ts";
import { hoxDo } from "./host.ts";

const patienceMs = 60_000;

interface AgentsWorker {
  /** The files of each place that it holds. */
  places(): readonly string[];
  stop(): Promise<void>;
}

/**
 * Invites a worker and lets it join a host that ends then: the next host finds it within seconds.
 * @param path with the programs of its agents
 * @throws Error if it is not connected after a minute
 */
export async function joinWorker(
  command: HoxCommand,
  there: Surroundings,
  path: string,
): Promise<AgentsWorker> {
  const folder = join(there.folder, "worker");
  const [program, ...first] = command;
  const [invited] = await hoxDo(command, ["workers", "invite"], there);
  const host = spawn(program, [...first, "serve", "--repo", there.root], {
    env: { ...ownEnvironment(), ...there.environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(host.stdout, "data");
  const words = String(invited?.command).split(" ");
  const invitation = words[words.indexOf("--invitation") + 1] ?? "";
  const address = `ws://127.0.0.1:${there.environment.HOX_WORKER_PORT}`;
  const child = spawn(
    program,
    [...first, "worker", "join", address, "--invitation", invitation, "--labels", "agents", "--places", "12"],
    { env: { ...ownEnvironment(), PATH: path, HOX_STATE: folder }, stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.on("data", (data: Buffer) => {
    said = (said + data.toString("utf8")).slice(-2_000);
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  const isConnected = async (): Promise<boolean> =>
    (await hoxDo(command, ["workers"], there)).some(({ contact }) => contact === "connected");
  try {
    for (const end = performance.now() + patienceMs; !(await isConnected()); await pause(200))
      if (child.exitCode !== null || performance.now() > end)
        throw new Error(`The worker did not join: ${said.trim()}`);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    host.kill("SIGTERM");
    await once(host, "close");
  }
  return {
    places: () => globSync(join(folder, "worker", "*", "places", "*", "files")),
    stop,
  };
}
