import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import type { ResumeToken } from "../agent/agent-interface.ts";
import { eventually } from "../testing/kit.ts";
import type { RunnerAddress } from "./start-runner.ts";
import type { ChildHost } from "./testing/child-host.ts";
import { noticesIn, type ScriptedWorker, scriptedWorker, textOf } from "./testing/run-scripted.ts";

const never = new AbortController().signal;
const file = fileURLToPath(new URL("testing/child-host.ts", import.meta.url));

type Line = { readonly entry: ConversationEntry } | { readonly seq: number };

/** Starts another host, and kills it when it has come to a place in the work. */
async function killedHost(worker: ScriptedWorker, isContained: boolean, untilThere: () => Promise<void>) {
  const host: ChildHost = {
    ...{ runner: worker.runnerOptions, isContained },
    ...{ journal: join(worker.folder, "journal"), state: join(worker.folder, "state") },
  };
  const child = spawn(process.execPath, [file, JSON.stringify(host)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await untilThere();
  await eventually(() => expect(existsSync(host.state)).toBe(true));
  child.kill("SIGKILL");
  await ended;
  const state = JSON.parse(readFileSync(host.state, "utf8")) as {
    address: RunnerAddress;
    resume: ResumeToken;
  };
  const lines = readFileSync(host.journal, "utf8")
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);
  // What was written after the last place counts for nothing.
  const last = lines.findLastIndex((line) => "seq" in line);
  const place = lines[last];
  const entries = lines.slice(0, last + 1).flatMap((line) => ("entry" in line ? [line.entry] : []));
  return { ...state, entries, after: place && "seq" in place ? place.seq : null };
}

const count = 3_000;
const flood = Array.from({ length: count }, (_, index) => `${index},`).join("");

describe.each([
  ["in its sandbox", true],
  ["without a sandbox", false],
])("an agent %s whose host is killed", (_, isContained) => {
  const script = [[{ flood: count }, { touch: "half" }, { wait: "go" }, { flood: count }, { say: "end" }]];

  it.runIf(process.platform === "linux" || !isContained).each([
    ["before another one comes", true],
    ["while another one listens", false],
  ])("continues, and nothing is lost or told twice where it ends %s", async (_case, isAlone) => {
    const worker = await scriptedWorker({ script, isContained });
    const journal = join(worker.folder, "journal");
    const died = await killedHost(worker, isContained, () =>
      // With its place, without which it counts for nothing.
      eventually(() => expect(readFileSync(journal, "utf8")).toMatch(/"kind":"text"[\s\S]*"seq":/u)),
    );
    await worker.exists("half");
    if (isAlone) worker.touch("go");
    const driver = worker.driver({ runner: async () => worker.adopt(died.address, died.after) });
    const conversation = driver.resume(died.resume, worker.options());
    const running = conversation.run(null, never);
    if (!isAlone) worker.touch("go");
    expect(await running).toMatchObject({ kind: "ended", text: expect.stringMatching(/end$/u) });
    expect(textOf(died.entries).length).toBeGreaterThan(0);
    expect(textOf([...died.entries, ...worker.entries])).toBe(`${flood}${flood}end`);
    expect(noticesIn(worker.entries)).toEqual([]);
    await driver.close();
  });
});

describe("an agent whose host is killed", () => {
  it.runIf(process.platform === "linux")("has protected files put back by the next one", async () => {
    const worker = await scriptedWorker({
      script: [[{ touch: "here" }, { wait: "go" }, { write: ".npmrc", text: "x" }]],
      isContained: true,
    });
    const died = await killedHost(worker, true, () => worker.exists("here"));
    const left = await worker.adopt(died.address, died.after);
    worker.touch("go");
    await worker
      .driver({ runner: async () => left })
      .resume(died.resume, worker.options())
      .run(null, never);
    expect(noticesIn(worker.entries)).toEqual([expect.stringContaining("restored: .npmrc")]);
    expect(existsSync(join(worker.workspace, ".npmrc"))).toBe(false);
  });

  it("has its permission request asked again by the next one", async () => {
    const worker = await scriptedWorker({
      script: [[{ touch: "here" }, { wait: "go" }, { ask: "Write x" }]],
    });
    const died = await killedHost(worker, false, () => worker.exists("here"));
    worker.touch("go");
    const driver = worker.driver({
      runner: async () => worker.adopt(died.address, died.after),
      permissions: async () => "reject_once",
    });
    expect(await driver.resume(died.resume, worker.options()).run(null, never)).toMatchObject({
      kind: "ended",
    });
    expect(worker.notes()).toContain("permission reject_once");
  });

  it("is asked to continue where its turn failed meanwhile", async () => {
    const worker = await scriptedWorker({
      script: [
        [{ touch: "here" }, { wait: "go" }, { error: -32603, message: "no model" }],
        [{ say: "again" }],
      ],
    });
    const died = await killedHost(worker, false, () => worker.exists("here"));
    worker.touch("go");
    const driver = worker.driver({ runner: async () => worker.adopt(died.address, died.after) });
    expect(await driver.resume(died.resume, worker.options()).run(null, never)).toEqual({
      kind: "ended",
      text: "again",
    });
    expect(worker.runners).toHaveLength(0);
  });

  it("is resumed in a new runner where the old one ended too", async () => {
    const worker = await scriptedWorker({
      script: [[{ touch: "here" }, { hang: true }], [{ say: "again" }]],
    });
    const died = await killedHost(worker, true, () => worker.exists("here"));
    const left = await worker.adopt(died.address, died.after);
    await left.kill();
    const driver = worker.driver({ runner: async (gone) => (gone === null ? left : worker.start()) });
    const conversation = driver.resume(died.resume, worker.options());
    expect(await conversation.run(null, never)).toEqual({ kind: "ended", text: "again" });
    expect(worker.notes().some((note) => note.startsWith("resume "))).toBe(true);
  });
});
