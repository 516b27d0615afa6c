import { appendFile, mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EndpointFile, endpointFile, endpointPath } from "#shared/contract/loopback.ts";
import { copyExample } from "../../api/rehearsals.ts";
import { repositoryStateFolder } from "../../config/state-folder.ts";
import { createHostState } from "../../host.ts";
import { rehearsalNamed } from "../../rehearsals/rehearsals.ts";
import { eventually } from "../../testing/kit.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

let folder: string;
const state = (): string => join(folder, "state");

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-cli-steer-")));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const hox = (args: readonly string[], cwd: string) =>
  hoxInProcess(args, { folder: cwd, env: { HOX_STATE: state() } });
const json = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** A rehearsal that waits for the answer to a question: agent-2 has asked, its siblings are through or at work. */
async function waitingRun(): Promise<string> {
  const begun = await hox(
    ["run", "--rehearsal", "profiles", "--json", "--approve", "plan,merge_requests"],
    folder,
  );
  expect(begun.code, begun.stderr).toBe(exitCode.waits);
  return String(json(begun.stdout)[0]?.path);
}

test("a run without a host is controlled directly, and the commands apply when it resumes", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const root = await waitingRun();
  const worker = async (name: string) =>
    (
      JSON.parse((await hox(["status", "--json"], root)).stdout).run.workers as Record<string, unknown>[]
    ).find((one) => one.name === name);
  const near = await hox(["pause", "agnet-2"], root);
  expect([near.code, near.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("Did you mean agent-2?"),
  ]);
  expect((await hox(["stop"], root)).code).toBe(exitCode.waits);

  const cards = await hox(["answer"], root);
  expect(cards.code).toBe(exitCode.waits);
  expect(cards.stdout).toMatch(/^[a-z-]+-[a-z0-9]{4}\n/u);
  expect((await hox(["answer", "9", "y"], root)).code).toBe(exitCode.usage);

  const taken = json((await hox(["take-over", "agent-2", "--json"], root)).stdout)[0];
  expect(taken).toMatchObject({ kind: "done", live: false, taken: "agent-2" });
  expect(await worker("agent-2")).toMatchObject({ byHand: { since: expect.any(Number) }, held: true });
  await appendFile(join(String(taken?.folder), "NOTES.md"), "from the terminal\n");
  const given = await hox(["give-back", "agent-2", "-m", "Mind the notes.", "--json"], root);
  expect(json(given.stdout)).toMatchObject([{ given: "agent-2", files: ["NOTES.md"] }]);
  expect(await worker("agent-2")).toMatchObject({ byHand: null, held: false });

  await hox(["budget", "agent-2", "--usd", "2.50", "--iterations", "9"], root);
  expect(await worker("agent-2")).toMatchObject({
    budget: { limitMicroDollars: 2_500_000, maxIterations: 9 },
  });
  const account = json((await hox(["budget", "--agents", "2", "--usd", "none", "--json"], root)).stdout);
  expect(account[0]).toMatchObject({ of: "run", limitMicroDollars: null, maxParallelAgents: 2 });

  const moved = json((await hox(["reassign", "agent-2", "--brief", "Anew.", "--json"], root)).stdout)[0];
  const next = String(moved?.worker);
  expect(await worker("agent-2")).toMatchObject({ replacedBy: next });
  expect(await worker(next)).toMatchObject({ replaces: "agent-2" });
  expect((await hox(["pause", next], root)).code).toBe(exitCode.done);
  expect((await hox(["resume", next], root)).code).toBe(exitCode.done);
  expect((await hox(["stop", "--yes"], root)).code).toBe(exitCode.done);
  expect(JSON.parse((await hox(["status", "--json"], root)).stdout)).toMatchObject({
    run: { stage: "stopped" },
  });
});

test("a running host is controlled through its endpoint, which others cannot use", async () => {
  const host = await createHostState({
    shell: "browser",
    version: "0",
    stateFolder: state(),
    rehearsalPace: 0,
  });
  try {
    const root = await copyExample(folder, "profiles");
    await host.open(root);
    await host.engine().execute("run.start", {
      ...{ goal: rehearsalNamed("profiles").goal, rehearsal: "profiles", model: null },
      ...{ orchestrators: null, onto: null, maxTokens: null, maxMicroDollars: null },
    });
    await eventually(() => expect(host.engine().state().inbox).toMatchObject([{ kind: "plan" }]));
    const [plan] = host.engine().state().inbox;
    if (!plan) throw new Error("There is no card.");
    await host.engine().execute("inbox.answer", { ...plan, decision: { kind: "approve" } });
    const agent = () =>
      host
        .engine()
        .state()
        .run?.workers.find(({ name }) => name === "agent-2");
    // At work, and not done before its question is answered.
    await eventually(() => expect(agent()?.workspace).toEqual(expect.any(String)));
    const path = join(repositoryStateFolder(state(), root), endpointFile);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const { port, secret } = JSON.parse(await readFile(path, "utf8")) as EndpointFile;
    const statusFor = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}${endpointPath}/run/stop`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      }).then((response) => response.status);
    expect(await statusFor({})).toBe(401);
    expect(await statusFor({ authorization: "Bearer guess" })).toBe(401);
    expect(await statusFor({ authorization: `Bearer ${secret}`, origin: "http://evil.example" })).toBe(403);
    const settings = await fetch(`http://127.0.0.1:${port}${endpointPath}/settings/clearKey`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(settings.status).toBe(404);
    expect(host.engine().state().run?.stage).toBe("executing");

    const paused = await hox(["pause", "agent-2", "--json"], root);
    expect(json(paused.stdout)).toEqual([{ kind: "done", live: true, paused: "agent-2" }]);
    expect(agent()?.held).toBe(true);
    const refused = await hox(["retry", "agent-2"], root);
    expect([refused.code, refused.stderr]).toEqual([exitCode.error, expect.stringContaining("Pause it,")]);
    const preview = await hox(["undo", "agent-2", "--json"], root);
    expect(json(preview.stdout)[0]).toMatchObject({ kind: "preview", worker: "agent-2" });
    expect((await hox(["stop", "--yes"], root)).code).toBe(exitCode.done);
    expect(host.engine().state().run?.stage).toBe("stopped");
    await host.closeRepository();
    await expect(stat(path)).rejects.toThrow(/ENOENT/u);
  } finally {
    await host.close();
  }
}, 600_000);
