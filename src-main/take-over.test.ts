import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requestHandover } from "./api/hand-over.ts";
import type { HostState } from "./api/host-state.ts";
import { copyExample } from "./api/rehearsals.ts";
import { lockOwnerOf } from "./api/repository-lock.ts";
import { readStatus } from "./api/status-file.ts";
import { exitCode } from "./cli/command-line.ts";
import { repositoryStateFolder } from "./config/state-folder.ts";
import { createHostState } from "./host.ts";
import { rehearsalNamed } from "./rehearsals/rehearsals.ts";
import { eventually, tempDir } from "./testing/kit.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
let folder: string;
let hosts: HostState[];
let children: ChildProcess[];

beforeEach(() => {
  folder = tempDir();
  hosts = [];
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const host of hosts) await host.close();
});

async function host(): Promise<HostState> {
  const made = await createHostState({
    shell: "browser",
    version: "1",
    stateFolder: folder,
    rehearsalPace: 0,
  });
  hosts.push(made);
  return made;
}

/** A repository with a run that waits for its plan to be approved. */
async function running(one: HostState): Promise<string> {
  const root = await copyExample(folder, "profiles");
  await one.open(root);
  await one.engine().execute("run.start", {
    goal: rehearsalNamed("profiles").goal,
    orchestrators: null,
    maxTokens: null,
    maxMicroDollars: null,
    onto: null,
    rehearsal: "profiles",
    model: null,
  });
  await eventually(() => expect(one.engine().state().inbox).toMatchObject([{ kind: "plan" }]));
  return root;
}

function start(program: string, args: readonly string[]) {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
  const child = spawn(process.execPath, [path(program), ...args], {
    env: { ...env, HOX_STATE: folder, HOX_RENDERER: folder, NO_COLOR: "1", npm_lifecycle_event: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data.toString();
    });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return { child, ended, output: () => output };
}

const lockedBy = (one: HostState): string | undefined => one.opened().view().lockedBy;

test("a read-only host takes over, with the run and its open question, and returns them the same way", {
  tags: ["long"],
}, async () => {
  const [first, second] = [await host(), await host()];
  const root = await running(first);
  await second.open(root);
  expect(lockedBy(second)).toContain(`process ${process.pid}`);
  expect(() => second.engine()).toThrow(/^Read-only: another Hox process/);
  const [card] = first.engine().state().inbox;
  const run = first.engine().state().run?.id;

  for (const [giver, taker] of [
    [first, second],
    [second, first],
  ] as const) {
    await taker.takeOver();
    expect(lockedBy(taker)).toBeUndefined();
    expect(taker.engine().state()).toMatchObject({ run: { id: run }, inbox: [card] });
    await eventually(() => expect(lockedBy(giver)).toContain("took over"));
    expect(() => giver.engine()).toThrow(/^Read-only: another Hox process/);
    // What it shows stays: the same repository, with its graph.
    expect(giver.opened().repository.root).toBe(root);
  }
  // Safe to repeat where it is held already.
  await first.takeOver();
  if (!card) throw new Error("There is no card.");
  await first
    .engine()
    .execute("inbox.answer", { ...card, decision: { kind: "reject", reason: "Not like this." } });
});

// Windows cannot halt a process.
test.skipIf(process.platform === "win32")(
  "a silent live host keeps the repository; one that has ended does not",
  { tags: ["long"], timeout: 300_000 },
  async () => {
    const starter = await host();
    const root = await running(starter);
    await starter.closeRepository();
    const holder = start("headless.ts", ["--state", folder, "--pace", "0", root]);
    const state = repositoryStateFolder(folder, root);
    await eventually(() =>
      expect(lockOwnerOf(state)).toMatchObject({ pid: holder.child.pid, endpoint: expect.anything() }),
    );
    const looking = await host();
    await eventually(async () => {
      await looking.open(root);
      expect(lockedBy(looking)).toContain(`process ${holder.child.pid}`);
    });

    const endpoint = lockOwnerOf(state)?.endpoint;
    if (!endpoint) throw new Error("There is no endpoint.");
    expect(await requestHandover({ ...endpoint, secret: "guessed" }, "somebody")).toBe(false);

    holder.child.kill("SIGSTOP");
    await expect(looking.takeOver()).rejects.toMatchObject({
      message: expect.stringContaining(`process ${holder.child.pid}`),
      remedy: expect.stringContaining("end the process"),
    });
    expect(lockedBy(looking)).toContain(`process ${holder.child.pid}`);

    holder.child.kill("SIGKILL");
    await holder.ended;
    await looking.takeOver();
    expect(lockedBy(looking)).toBeUndefined();
    expect(looking.engine().state().inbox).toMatchObject([{ kind: "plan" }]);
  },
);

test("a terminal is told who took its run over, and takes it over again with --take-over", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const app = await host();
  const root = await copyExample(folder, "profiles");
  // So slow that it is still planning when somebody comes.
  const terminal = start("cli.ts", ["run", "--rehearsal", "profiles", "--repo", root, "--pace", "5000"]);
  const state = repositoryStateFolder(folder, root);
  await eventually(async () => {
    const status = await readStatus(state);
    expect(status).toMatchObject({ pid: terminal.child.pid, run: expect.anything() });
  });
  await app.open(root);
  expect(lockedBy(app)).toContain(`process ${terminal.child.pid}`);
  await app.takeOver();
  expect(app.engine().state().run).not.toBeNull();
  expect(await terminal.ended, terminal.output()).toBe(exitCode.interrupted);
  expect(terminal.output()).toContain(
    `Saved. The run continues in process ${process.pid}, which took over at `,
  );

  await eventually(() => expect(app.engine().state().inbox).toHaveLength(1));
  const refused = start("cli.ts", ["run", "--repo", root]);
  expect(await refused.ended).toBe(exitCode.error);
  expect(refused.output()).toContain("--take-over");
  const back = start("cli.ts", ["run", "--repo", root, "--take-over"]);
  // Without a terminal to ask at it ends at the plan that waits for a user.
  expect(await back.ended, back.output()).not.toBe(exitCode.error);
  expect(back.output()).toContain("These cards are waiting for you");
  await eventually(() => expect(lockedBy(app)).toContain(`process ${back.child.pid}`));
  // It has ended: there is nobody to ask.
  await app.takeOver();
  expect(lockedBy(app)).toBeUndefined();

  // So does one that serves; asked in turn, it lets go and looks on instead of ending.
  const serving = start("cli.ts", ["serve", "--repo", root, "--take-over"]);
  await eventually(() => expect(lockedBy(app), serving.output()).toContain(`process ${serving.child.pid}`));
  await app.takeOver();
  expect(lockedBy(app)).toBeUndefined();
  expect(app.engine().state().inbox).toHaveLength(1);
  expect(serving.child.exitCode, serving.output()).toBeNull();
});
