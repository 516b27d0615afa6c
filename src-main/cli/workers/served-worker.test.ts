/** The program that a host gives to machines, as processes on folders without Hox. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { invitationView, machineStatus } from "#shared/domain/places/machine-view.ts";
import { workerProgramFile, workerProgramPath } from "#shared/domain/places/worker-program.ts";
import { buildWorkerProgram } from "../../../build/worker-program.mjs";
import { tryLock } from "../../config/file-lock.ts";
import { buildScriptedAgent } from "../../engine/testing/installed-agent.ts";
import type { RunnerEvent } from "../../external-agents/runner/runner-protocol.ts";
import { attachRunner } from "../../external-agents/runner-link.ts";
import { socketsIn } from "../../external-agents/start-runner.ts";
import { machineViews } from "../../places/fleet.ts";
import { createConnectedMachines } from "../../places/host/connected-machines.ts";
import { machineProtocol } from "../../places/machine-contract.ts";
import { openPlaces } from "../../places/places-database.ts";
import { emptyTree, makeObjectStore, startFrom } from "../../places/trees.ts";
import { readWorkerProgram, type WorkerProgram } from "../../places/worker-program.ts";
import { eventually } from "../../testing/kit.ts";
import { openWorkerDoor } from "../../transport/worker-door.ts";

let programs: string;
let program: WorkerProgram;
beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "hox-programs-"));
  await buildWorkerProgram(programs);
  program = readWorkerProgram(join(programs, workerProgramFile));
  return () => rm(programs, { recursive: true, force: true });
});

/** The program of the version before. */
async function buildOlder(): Promise<WorkerProgram> {
  const folder = join(programs, "older");
  await buildWorkerProgram(folder, [
    {
      name: "older",
      transform: (code, id) =>
        id.endsWith("machine-contract.ts")
          ? code.replace(`machineProtocol = ${machineProtocol}`, `machineProtocol = ${machineProtocol - 1}`)
          : null,
    },
  ]);
  return { ...readWorkerProgram(join(folder, workerProgramFile)), protocol: machineProtocol - 1 };
}

/** A host on loopback with an empty repository, which may end and begin again with another program. */
async function createTestHost() {
  const folder = await mkdtemp(join(tmpdir(), "hox-served-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const database = openPlaces(join(folder, "workers.sqlite"), () => Date.now());
  onTestFinished(() => database.close());
  const files = join(folder, "files");
  await mkdir(files);
  const store = await makeObjectStore(join(folder, "objects.git"), { exclude: "" });
  const local = { ...store, folder: files, index: join(folder, "index") };
  await startFrom(local, emptyTree);
  const owner = (worker: string) => ({ repository: "/repo", run: "run", worker });
  let port = 0;
  return {
    ...{ folder, owner, database, machines: database.machines },
    /** Its process begins. */
    async begin(offered: WorkerProgram | null) {
      const connected = createConnectedMachines(database);
      const door = await openWorkerDoor({ connected, machines: database.machines, program: offered }, port);
      port = door.port;
      let isOpen = true;
      const end = async (): Promise<void> => {
        if (isOpen) await door.close();
        isOpen = false;
      };
      onTestFinished(end);
      return {
        ...{ port, end, connected },
        take: (worker: string) =>
          connected.take({
            ...{
              ...owner(worker),
              label: "test",
              agent: null,
              priority: 0,
              local,
              root: "/repo",
              exclude: "",
            },
            ...{ hosts: [], protectedFiles: [] },
            unreachable: () => undefined,
            failed(machine, error) {
              throw new Error(`${machine} failed`, { cause: error });
            },
          }),
      };
    },
    connected: (protocol: number) =>
      eventually(() =>
        expect(database.machines.all()).toMatchObject([{ name: "bare", about: { protocol } }]),
      ),
  };
}

const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
const offer = ["--name", "bare", "--labels", "test"];
const quietly = { environment: {}, timeoutMs: 60_000, signal: new AbortController().signal };

/** A process on a machine without Hox. */
function start(command: string, args: readonly string[], folder: string) {
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    env: {
      PATH: [join(folder, "bin"), path].join(delimiter),
      ...{ HOME: folder, HOX_STATE: join(folder, "state") },
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (bytes: Buffer) => printed.push(bytes.toString("utf8")));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  return { child, ended, printed: () => printed.join("") };
}

/** Starts a program that was fetched once, on an enrolled machine. */
async function startEnrolled(
  { bytes }: WorkerProgram,
  { folder, machines }: Awaited<ReturnType<typeof createTestHost>>,
  port: number,
) {
  const bare = join(folder, "bare");
  const kept = join(bare, "state", "worker", `127.0.0.1_${port}`);
  await mkdir(kept, { recursive: true });
  await writeFile(join(bare, workerProgramFile), bytes);
  await writeFile(join(kept, "key.json"), JSON.stringify(machines.enrol(machines.invite(), "bare")));
  const words = ["worker", "join", `ws://127.0.0.1:${port}`, ...offer];
  return { ...start(process.execPath, [workerProgramFile, ...words], bare), kept };
}

test("a machine without Hox joins with the command of an invitation, and works", async () => {
  const host = await createTestHost();
  const { port, take } = await host.begin(program);
  const bare = join(host.folder, "bare");
  await mkdir(bare);
  await buildScriptedAgent(join(bare, "bin"));
  const given = { port, direct: null, expiresAt: 0, program: program.sha256 };
  const { withoutHox } = invitationView(host.machines.invite(), given);
  const worker = start("sh", ["-c", `${withoutHox} ${offer.join(" ")}`], bare);
  await host.connected(machineProtocol);
  const place = await take("agent-1");
  const result = await place?.run({ ...quietly, command: "echo hello > a.txt" });
  expect(result).toMatchObject({ outcome: "exited", exitCode: 0 });
  const search = { path: ".", regex: false, limit: 10 };
  expect(await place?.files({ protectedFiles: [] }).search("hel", search)).toMatchObject({
    matches: [{ path: "a.txt", text: "hello" }],
  });
  const agent = await place?.startAgent({
    ...{ agent: "claude", environment: {}, hidden: [], protectedFiles: [], files: {}, sessions: null },
    sockets: socketsIn(join(host.folder, "sockets")),
  });
  if (agent === undefined) throw new Error("No agent was started.");
  const events: RunnerEvent[] = [];
  const link = await attachRunner(agent, { onEvent: (event) => void events.push(event) });
  link.send({ kind: "open", id: "open", resume: null, system: "", mcpToken: null });
  await eventually(() => expect(events).toContainEqual(expect.objectContaining({ kind: "opened" })));
  await agent.kill();
  expect((await readdir(bare)).toSorted()).toEqual(["bin", workerProgramFile, "state"]);
  expect(worker.printed()).toContain(`Connected to 127.0.0.1:${port}.`);
});

test("the program is for machines with an invitation or a key", async () => {
  const host = await createTestHost();
  const { port } = await host.begin(program);
  const ask = async (authorization?: string, method = "GET") => {
    const url = `http://127.0.0.1:${port}${workerProgramPath}`;
    const answer = await fetch(url, { method, headers: authorization ? { authorization } : {} });
    return [answer.status, (await answer.arrayBuffer()).byteLength];
  };
  const invitation = host.machines.invite();
  const whole = [200, program.bytes.length];
  for (const unknown of [
    undefined,
    `Invitation ${"x".repeat(43)}`,
    `Worker ${"0".repeat(16)}:${"x".repeat(43)}`,
  ])
    expect((await ask(unknown))[0]).toBe(401);
  expect(await ask(`Invitation ${invitation}`)).toEqual(whole);
  const enrolled = host.machines.enrol(invitation, "box");
  expect((await ask(`Invitation ${invitation}`))[0], "it was used").toBe(401);
  expect(await ask(`Worker ${enrolled?.id}:${enrolled?.key}`)).toEqual(whole);
  expect((await ask(`Worker ${enrolled?.id}:${enrolled?.key}`, "POST"))[0]).toBe(404);
});

test("a worker of another version than its host ends what it holds, and comes back with the host's", {
  tags: ["long"],
}, async () => {
  const older = await buildOlder();
  const host = await createTestHost();
  const before = await host.begin(older);
  const worker = await startEnrolled(older, host, before.port);
  await host.connected(older.protocol);
  // As a host of that version has granted it.
  const [machine] = host.machines.all();
  host.database.places.grant(host.owner("agent-1"), machine?.id ?? "");
  const held = await before.take("agent-1");
  expect(await held?.run({ ...quietly, command: "echo kept > a.txt" })).toMatchObject({ exitCode: 0 });
  await before.end();

  const after = await host.begin(program);
  const place = await after.take("agent-1");
  await eventually(() =>
    expect(worker.printed()).toContain(
      `has version ${machineProtocol} of the worker, this one is ${older.protocol}: it restarts when its places end.`,
    ),
  );
  expect(await after.take("agent-2"), "it gets nothing new").toBeNull();
  const [view] = await machineViews(host.database, Date.now());
  expect(view && machineStatus(view)).toBe(
    `draining: other version ${older.protocol}, host has ${machineProtocol}`,
  );
  const finished = await place?.run({ ...quietly, command: "sleep 1; cat a.txt" });
  expect(finished).toMatchObject({ exitCode: 0, output: expect.stringContaining("kept") });
  expect(worker.printed()).not.toContain("Restarting");

  await after.connected.release(host.owner("agent-1"));
  await host.connected(machineProtocol);
  expect(worker.printed()).toContain(`Restarting as version ${machineProtocol} of the worker`);
  expect(await readdir(join(worker.kept, "program"))).toEqual([`${program.sha256}.mjs`]);
  const next = await after.take("agent-2");
  expect(await next?.run({ ...quietly, command: "true" })).toMatchObject({ exitCode: 0 });

  // One process is in the place of the other: a service that ends it ends both.
  worker.child.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
});

test("a Hox of another version than its host starts the host's program in its place, with the same arguments", {
  tags: ["long"],
}, async () => {
  const older = await buildOlder();
  const host = await createTestHost();
  const { port } = await host.begin(older);
  const cli = fileURLToPath(new URL("../../cli.ts", import.meta.url));
  const joined = ["worker", "join", `ws://127.0.0.1:${port}`, "--invitation", host.machines.invite()];
  const worker = start(process.execPath, [cli, ...joined, ...offer, "--places", "7"], host.folder);
  await host.connected(older.protocol);
  expect(host.machines.all()).toMatchObject([
    { about: { capacity: 7, labels: expect.arrayContaining(["test"]) } },
  ]);
  expect(worker.printed().match(/Restarting as version .*/gu)).toEqual([
    `Restarting as version ${older.protocol} of the worker, from 127.0.0.1:${port}; this one was ${machineProtocol}.`,
  ]);
});

test("a program of another SHA-256 than was offered replaces nothing, and the worker stays", {
  tags: ["long"],
}, async () => {
  const older = await buildOlder();
  const host = await createTestHost();
  const lying = await host.begin({ ...program, bytes: Buffer.from("another") });
  const worker = await startEnrolled(older, host, lying.port);
  const earlier = join(worker.kept, "program", "earlier.mjs");
  await mkdir(dirname(earlier));
  await writeFile(earlier, "earlier");
  await eventually(() => expect(worker.printed()).toContain("has another SHA-256 than it said"));
  expect(await readdir(dirname(earlier))).toEqual(["earlier.mjs"]);
  expect(await readFile(earlier, "utf8")).toBe("earlier");
  await host.connected(older.protocol);
  await lying.end();
  await host.begin(program);
  await host.connected(machineProtocol);
  expect(existsSync(earlier)).toBe(false);
  // What runs in its place ends with it, and another one could join.
  worker.child.kill("SIGKILL");
  await eventually(() => {
    const unlock = tryLock(join(worker.kept, "lock"));
    expect(unlock).not.toBeNull();
    unlock?.();
  });
});
