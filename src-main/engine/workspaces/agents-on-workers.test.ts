import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { LeaseTimes } from "#shared/domain/places/lease.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { expectCountedOnce } from "../testing/counted-once.ts";
import { externalAgentScript, reportsStore, type Step } from "../testing/external-agent-script.ts";
import { installedAgentFiles, installedModels, installScriptedAgent } from "../testing/installed-agent.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { openWorkerMachines, quickTimes } from "../testing/worker-machines.ts";

async function openMachines(times?: LeaseTimes) {
  const machines = await openWorkerMachines(times);
  onTestFinished(() => machines.close());
  return machines;
}

const noticesOf = ({ events }: Fixture): readonly string[] =>
  events.flatMap((event) =>
    event.kind === "conversation" && event.worker === "agent-1"
      ? event.rows.flatMap((row) => (row.kind === "notice" ? [row.text] : []))
      : [],
  );

const asksModel: Step = {
  model: "/v1/messages",
  body: {
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    stream: true,
    system: "Hox-Role: agent-1",
    messages: [{ role: "user", content: "What is a store?" }],
  },
};

const writesStore: readonly (readonly Step[])[] = [
  [
    asksModel,
    { run: "pwd" },
    { say: "I write the store." },
    { write: "src/store.txt", text: "the store BROKEN\n" },
  ],
  [{ write: "src/store.txt", text: "the store\n" }, reportsStore],
];

const open = (
  places: Awaited<ReturnType<typeof openMachines>>["connected"] | undefined,
  script: readonly (readonly Step[])[],
  offers = {},
): Promise<Fixture> =>
  createFixture({
    ...(places ? { places } : {}),
    script: externalAgentScript,
    files: installedAgentFiles(script, offers),
    workflow: "auto",
    sandbox: () => createSandbox({ allowUnsandboxed: false }),
  });

/** What a user sees of a run: what landed, what it cost, and what the agent said and did. */
async function resultOf(fixture: Fixture) {
  const run = await fixture.until(over);
  const agent = run.workers.find(({ name }) => name === "agent-1");
  return {
    stage: run.stage,
    failure: run.failure,
    landed: await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"]),
    spent: run.budget.byWorker["agent-1"],
    iteration: agent?.iteration,
    status: agent?.status,
    unmatched: fixture.standIn.unmatched(),
  };
}

/** Whether a machine has this file in one of its places. */
const hasFile = (machine: { readonly folder: string }, path: string): boolean => {
  const places = join(machine.folder, "places");
  return (
    existsSync(places) && readdirSync(places).some((place) => existsSync(join(places, place, "files", path)))
  );
};

/** Whether the host has this file of an agent. */
const isBrought = ({ repo }: Fixture, path: string): boolean => {
  const runs = join(repo.folder, "state", "workspaces");
  return existsSync(runs) && readdirSync(runs).some((run) => existsSync(join(runs, run, "agent-1", path)));
};

/** Whether the host has what the agent needs to resume elsewhere. */
const isKept = ({ repo }: Fixture): boolean => {
  const agents = join(repo.folder, "state", "agents");
  return (
    existsSync(agents) && readdirSync(agents).some((one) => existsSync(join(agents, one, "sessions.json")))
  );
};

/** What its calls printed, as the user sees it. */
const outputsOf = ({ events }: Fixture): string =>
  events
    .flatMap((event) =>
      event.kind === "conversation" && event.worker === "agent-1"
        ? event.rows.flatMap((row) => (row.kind === "tool-result" ? [row.output] : []))
        : [],
    )
    .join("\n");

test("an agent of another make that only a worker has comes to the same result there as on the host", async () => {
  const without = await installScriptedAgent();
  const { PATH: withAgent = "" } = process.env;
  const machines = await openMachines();
  const box = await machines.start("box");
  expect(machines.machines.all()[0]?.about?.agents).toContainEqual({ name: "claude", version: null });
  vi.stubEnv("PATH", without);
  const away = await open(machines.connected, writesStore);
  expect(await away.execute("start.checkModel", { model: installedModels.agent })).toMatchObject({
    outcome: "ok",
    words: "Claude Code is installed on a worker.",
  });
  await away.start({ models: installedModels, on: "test" });
  const result = await resultOf(away);
  expect(result).toMatchObject({ stage: "complete", failure: null, landed: "the store", iteration: 2 });
  expect(noticesOf(away)).toContain("Works on worker box.");
  expect(outputsOf(away)).toContain(join(box.folder, "places"));
  expect(machines.places.held()).toEqual([]);
  vi.stubEnv("PATH", withAgent);
  const home = await open(undefined, writesStore);
  await home.start({ models: installedModels });
  expect(await resultOf(home)).toEqual(result);
});

/** Waits in its middle where it begins for the first time, and has nothing left to wait for where its files came along. */
const waitsOnce: readonly Step[] = [
  asksModel,
  { write: "src/store.txt", text: "the store\n" },
  { run: "test -e src/began && touch src/go; touch src/began" },
  { wait: "src/go" },
  { run: "cat ~/agent-state.log" },
  reportsStore,
];

test("an agent whose worker is killed in a turn continues on another one, and is told what is lost", {
  tags: ["long"],
}, async () => {
  await installScriptedAgent();
  const machines = await openMachines();
  const box = await machines.start("box");
  const fixture = await open(machines.connected, [waitsOnce], { resume: false });
  await fixture.start({ models: installedModels, on: "test" });
  await machines.until("its files were brought", () => isBrought(fixture, "src/began"));
  await machines.start("other");
  box.child.kill("SIGKILL");
  const result = await resultOf(fixture);
  expect(result).toMatchObject({ stage: "complete", failure: null, landed: "the store", iteration: 1 });
  const notices = noticesOf(fixture);
  const lost = "Worker box, where your files were, is gone. Your files are as of test -e src/began";
  expect(notices).toContainEqual(expect.stringContaining(lost));
  expect(notices).toContainEqual(expect.stringContaining("you work on worker other now"));
  expect(notices).toContainEqual(expect.stringContaining("Hox starts a new one with the same task"));
  // The first prompt of its new session has its task and what was lost.
  expect(outputsOf(fixture)).toMatch(new RegExp(`prompt .*Write the store.*${lost}`, "u"));
});

test("an agent that keeps its sessions resumes on another worker, and is told its task again", {
  tags: ["long"],
}, async () => {
  await installScriptedAgent();
  const machines = await openMachines();
  const box = await machines.start("box");
  // Its second prompt, wherever it gets that.
  const fixture = await open(machines.connected, [waitsOnce, waitsOnce], { keepsSessions: true });
  await fixture.start({ models: installedModels, on: "test" });
  await machines.until("its files were brought", () => isBrought(fixture, "src/began"));
  await machines.until("its session was kept", () => isKept(fixture));
  await machines.start("other");
  box.child.kill("SIGKILL");
  const result = await resultOf(fixture);
  expect(result).toMatchObject({ stage: "complete", failure: null, landed: "the store", iteration: 1 });
  expect(noticesOf(fixture).join()).not.toContain("new one");
  const noted = outputsOf(fixture);
  expect(noted).toMatch(/^resume session-/mu);
  expect(noted).toMatch(/^prompt .*Write the store.*Worker box, where your files were, is gone/mu);
});

test("an agent on a worker that is stopped past its lease spends nothing and counts nowhere", {
  tags: ["long"],
}, async () => {
  await installScriptedAgent();
  const machines = await openMachines(quickTimes);
  const box = await machines.start("box");
  const zombie: readonly Step[] = [
    { run: "mkdir -p src; touch src/began; sleep 7; touch src/zombie.txt" },
    asksModel,
    { write: "src/store.txt", text: "the store\n" },
    reportsStore,
  ];
  const fixture = await open(machines.connected, [zombie]);
  await fixture.start({ models: installedModels, on: "test" });
  await machines.until("the command runs", () => hasFile(box, "src/began"));
  box.child.kill("SIGSTOP");
  await machines.until("the host has the place", () => machines.places.held().length === 0);
  await machines.until("the command has written", () => hasFile(box, "src/zombie.txt"));
  box.child.kill("SIGCONT");
  await machines.until("the worker has removed its place", () => !hasFile(box, "src/zombie.txt"));
  expect(await resultOf(fixture)).toMatchObject({ stage: "complete", failure: null, landed: "the store" });
  expect(fixture.standIn.requests().filter(({ seen }) => seen.role === "agent-1")).toHaveLength(1);
  expectCountedOnce(fixture);
});

test("an agent on a worker continues in its place and its session after a restart of the host", {
  tags: ["long"],
}, async () => {
  await installScriptedAgent();
  const machines = await openMachines();
  const box = await machines.start("box");
  const fixture = await open(
    machines.connected,
    [
      [{ write: "src/store.txt", text: "the store\n" }, { touch: "src/began" }, { wait: "go" }],
      [{ run: "cat ~/agent-state.log" }, reportsStore],
    ],
    { keepsSessions: true },
  );
  await fixture.start({ models: installedModels, on: "test" });
  await machines.until("the agent waits", () => hasFile(box, "src/began"));
  await fixture.reopen();
  expect(await resultOf(fixture)).toMatchObject({ stage: "complete", failure: null, landed: "the store" });
  expect(outputsOf(fixture)).toMatch(/^resume session-/mu);
  expect(noticesOf(fixture).join()).not.toContain("new one");
});

test("an agent works on the host where no worker has its program", { tags: ["long"] }, async () => {
  const without = await installScriptedAgent();
  const machines = await openMachines();
  await machines.start("box", null, { environment: { PATH: without } });
  const fixture = await open(machines.connected, writesStore);
  await fixture.start({ models: installedModels, on: "test" });
  expect(await resultOf(fixture)).toMatchObject({ stage: "complete", failure: null, landed: "the store" });
  expect(noticesOf(fixture)).toContain(
    "Works on this machine, because no worker with the label test has Claude Code. The checks of finished work run on workers.",
  );
});
