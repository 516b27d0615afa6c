/** Workers that wait for a host in another process, which may be killed and start again, as they may. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { leaseTimes } from "#shared/domain/places/lease.ts";
import { openPlaces, placesFile } from "../../places/places-database.ts";
import { readTrace, type Selection } from "./kill-points.ts";
import { type FindingKind, rowsOf } from "./killed-run-findings.ts";
import { processesNaming } from "./processes.ts";

export interface WaitingWorkers {
  /** Where the host has to listen. */
  readonly port: number;
  /** What is wrong once runs are over. @param journalFolder default: where the places are */
  problems(journalFolder?: string): Promise<readonly Problem[]>;
  close(): Promise<void>;
}

interface Options {
  readonly stateFolder: string;
  /** Where they note the points that they pass, and at which of their messages they are killed. Default: at none. */
  readonly deadly?: { readonly trace: string; readonly selection: Selection } | null;
  /** Default: 2. */
  readonly count?: number;
  /** Of each. */
  readonly capacity?: number;
  /** Of their processes, in addition to this one's. */
  readonly environment?: Readonly<Record<string, string>>;
  /** One was killed, and starts again. */
  readonly onDeath?: (point: string) => void;
}

const program = fileURLToPath(new URL("child-machine.ts", import.meta.url));

/** Workers that start again whenever they were killed. They wait for a host. */
export async function startWorkers({
  stateFolder,
  deadly = null,
  count = 2,
  capacity = 3,
  environment = {},
  onDeath = () => undefined,
}: Options): Promise<WaitingWorkers> {
  const folder = await mkdtemp(join(tmpdir(), "hox-killed-workers-"));
  const port = await freePort();
  const database = openPlaces(placesFile(stateFolder), () => Date.now());
  const workers = Array.from({ length: count }, (_, at) => {
    const name = `box-${at + 1}`;
    const enrolled = database.machines.enrol(database.machines.invite(), name);
    if (enrolled === null) throw new Error("The invitation was not taken.");
    return { name, ...enrolled };
  });
  database.close();
  const running = new Set<ChildProcess>();
  let isClosing = false;
  const start = (worker: (typeof workers)[number]): void => {
    const { name, id, key } = worker;
    const child = spawn(
      process.execPath,
      [
        ...[
          program,
          `ws://127.0.0.1:${port}`,
          id,
          key,
          join(folder, name),
          name,
          JSON.stringify({ times: leaseTimes, capacity }),
        ],
        ...(deadly === null ? [] : [deadly.trace, JSON.stringify(deadly.selection)]),
      ],
      { stdio: ["pipe", "ignore", "ignore"], env: { ...process.env, ...environment } },
    );
    running.add(child);
    child.once("exit", () => {
      running.delete(child);
      if (isClosing) return;
      const last = readTrace(deadly?.trace ?? "").findLast(
        (entry) => entry.kind === "killed" && entry.point.includes(` ${name} `),
      );
      onDeath(last?.kind === "killed" ? `${last.point}#${last.place}` : `worker ${name} nowhere`);
      start(worker);
    });
  };
  for (const worker of workers) start(worker);
  return {
    port,
    async problems(journalFolder = stateFolder) {
      const own = new Set([...running].map(({ pid }) => pid));
      const left = (await processesNaming(folder)).filter(({ id }) => !own.has(id));
      return [
        ...(deadly === null ? lossesIn(journalFolder) : []),
        ...heldIn(stateFolder),
        ...left.map(({ id, command }) => ["orphan", `process ${id} of a worker: ${command}`] as const),
      ];
    },
    async close() {
      isClosing = true;
      const children = [...running];
      const ended = children.map((child) => once(child, "exit"));
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(ended);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Problem = readonly [FindingKind, string];

/** Workers that stay lose nothing. */
function lossesIn(journalFolder: string): readonly Problem[] {
  const found: Problem[] = [];
  const setUp = rowsOf(
    journalFolder,
    "SELECT seq FROM events WHERE json_extract(event, '$.kind') = 'WorkspaceSetUp' AND json_extract(event, '$.made') LIKE 'worker %'",
  ).length;
  if (setUp === 0) found.push(["result", "no place was set up on a worker"]);
  const notices = rowsOf(journalFolder, "SELECT entry FROM rows WHERE entry LIKE '%Your files are%'");
  for (const { entry } of notices) found.push(["lost", String(entry)]);
  return found;
}

function heldIn(stateFolder: string): readonly Problem[] {
  const database = openPlaces(placesFile(stateFolder), () => Date.now());
  const held = database.places.held();
  database.close();
  return held.map(({ worker, machine }) => ["orphan", `${machine} still has the place of ${worker}`]);
}

/** Of this machine, for a host that takes workers. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
