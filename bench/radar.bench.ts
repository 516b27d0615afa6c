import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { defaultSettings } from "../src-main/config/settings.ts";
import { toolPath } from "../src-main/config/tools.ts";
import { trustConfigFile } from "../src-main/config/write-settings.ts";
import { createEngine } from "../src-main/engine/engine.ts";
import { pinned } from "../src-main/jj/read/read-access.ts";
import { createTestRepository } from "../src-main/jj/testing/create-test-repository.ts";
import type { AssistantBlock, ModelDriver } from "../src-main/model/driver-interface.ts";
import { createSandbox } from "../src-main/tools/sandbox/sandbox.ts";
import { noUsage } from "../src-shared/domain/spending/usage.ts";
import { type Bench, percentile, row } from "./row.ts";

const heads = 16;
const files = 1000;
const rounds = 9;

const text = (own: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 60 }, (_, line) => `${own[line] ?? `line ${line}`}\n`).join("");

async function timed(work: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const begun = performance.now();
    await work();
    if (round > 0) samples.push(performance.now() - begun);
  }
  return percentile(samples, 50);
}

const writers = ["agent-1", "agent-2"];
const writes = 20;
/** What an answer of theirs takes at least. */
const answerMs = 3_000;

/** Two agents in one long turn each, who write the same file at the same moment, again and again. */
function collidingModel(isNamed: (file: string) => boolean) {
  /** When the last of them asked for its write to run, by file. */
  const writtenAt = new Map<string, number>();
  const namedAt = new Map<string, number>();
  const turns = new Map<string, number>();
  let ids = 0;
  const call = (name: string, input: unknown): AssistantBlock => ({
    type: "tool_use",
    id: `call-${++ids}`,
    name,
    input,
  });
  const plan = {
    ...{ goal: "Measure", summary: "", orchestrators: { count: 1, reason: "" } },
    contracts: { title: "None", description: "", files: [] },
    phases: [{ number: 1, title: "Work" }],
    tasks: writers.map((id) => ({
      ...{ id, title: `Work of ${id}`, description: "", phase: 1, priority: "medium", files: [], after: [] },
    })),
    integration: { title: "Together", description: "" },
    budget: { tokens: null, microDollars: null },
  };
  async function nextWrite(agent: string, signal: AbortSignal): Promise<AssistantBlock> {
    const turn = turns.get(agent) ?? 0;
    const before = `src/both-${turn - 1}.txt`;
    // Its tool has ended when it asks again.
    if (turn > 0) writtenAt.set(before, performance.now());
    turns.set(agent, turn + 1);
    const answered = pause(answerMs, undefined, { signal });
    while (turn > 0 && !isNamed(before)) await pause(10, undefined, { signal });
    if (turn > 0 && !namedAt.has(before)) namedAt.set(before, performance.now());
    while (writers.some((one) => (turns.get(one) ?? 0) <= turn)) await pause(10, undefined, { signal });
    await answered;
    return turn < writes
      ? call("write_file", { path: `src/both-${turn}.txt`, content: text({ 3: agent }) })
      : call("report_done", { summary: "Done." });
  }
  const driver: ModelDriver = {
    ...{ name: "colliding", isScripted: true },
    maxOutputTokens: () => 64_000,
    contextWindow: () => 1_000_000,
    async stream(request, on, signal) {
      const agent = writers.find((name) => request.requester.endsWith(`/${name}`));
      const said = JSON.stringify(request.messages.at(-1)?.content ?? []);
      const content = agent
        ? await nextWrite(agent, signal)
        : said.includes("[EVENT plan]")
          ? call("propose_plan", plan)
          : call("report_done", { summary: "Nothing to do." });
      const usage = { ...noUsage, input: 100, output: 10 };
      on.usage?.(usage);
      return { content: [content], stopReason: "tool_use", usage, model: request.model };
    },
  };
  return { driver, namedAt, writtenAt };
}

/** How long after both agents wrote a pair is named, and what that costs in jj. */
async function whileWorking() {
  const repo = await createTestRepository({
    files: {
      ".hox/config.toml":
        '[backpressure]\nfast_checks = []\nslow_checks = []\npreflight = "off"\n[gates]\nplan = "auto"\n',
      ...Object.fromEntries(Array.from({ length: files }, (_, at) => [`src/${at % 40}/${at}.txt`, text()])),
    },
  });
  const stateFolder = await mkdtemp(join(tmpdir(), "hox-bench-"));
  await trustConfigFile({ root: repo.repository.root, stateFolder });
  const model = collidingModel(
    (file) => engine.state().run?.radar.some((pair) => pair.files.includes(file)) ?? false,
  );
  let ids = 0;
  const engine = await createEngine({
    repository: repo.repository,
    stateFolder,
    settings: () => defaultSettings,
    driverFor: async () => model.driver,
    sandbox: () => createSandbox({ allowUnsandboxed: true }),
    now: () => Date.now(),
    newId: () => `bench${ids++}`,
  });
  try {
    const { run } = await engine.execute("run.start", {
      ...{ goal: "Measure", orchestrators: null, maxTokens: null, maxMicroDollars: null },
      ...{ onto: null, rehearsal: null, model: "claude-haiku-5-5" },
    });
    const deadline = Date.now() + 300_000;
    while (model.namedAt.size < 1 && Date.now() < deadline) await pause(10);
    const begun = { at: performance.now(), processes: repo.repository.processCount() };
    while (model.namedAt.size < writes && Date.now() < deadline) await pause(10);
    const minutes = (performance.now() - begun.at) / 60_000;
    const processes = repo.repository.processCount() - begun.processes;
    await engine.execute("run.stop", { run });
    if (model.namedAt.size < writes) throw new Error("The radar did not name every collision.");
    const waits = [...model.namedAt].map(([file, at]) => at - (model.writtenAt.get(file) ?? at));
    return { ms: percentile(waits, 95), perAgentMinute: processes / minutes / writers.length };
  } finally {
    await engine.close();
    await repo.remove();
    await rm(stateFolder, { recursive: true, force: true });
  }
}

/** What one look of the conflict radar costs, shared by all agents of a run, and how soon it sees what is written. */
const bench: Bench = {
  name: "radar",
  async *run() {
    const repo = await createTestRepository({
      files: {
        "CHANGELOG.md": text(),
        ...Object.fromEntries(Array.from({ length: files }, (_, at) => [`src/${at % 40}/${at}.txt`, text()])),
      },
    });
    const { repository } = repo;
    const task = async (own: Readonly<Record<string, string>>): Promise<string> =>
      (await repository.newChange({ parents: ["@-"], description: "A task\n", files: own })).changeId;
    try {
      const apart: string[] = [];
      const together: string[] = [];
      for (let at = 0; at < heads; at++) {
        const own = { [`src/${at}/${at}.txt`]: text({ 7: `task ${at}` }) };
        apart.push(await task(own));
        together.push(await task({ ...own, "CHANGELOG.md": text({ 3: `task ${at}` }) }));
      }
      const args = [
        ...pinned(repository.root, await repository.currentOperation()),
        ...["log", "--no-graph", "-r", "visible_heads()", "-T", 'commit_id ++ "\\n"'],
      ];
      const bare = await timed(() => execa(toolPath("jj"), args));
      const measured = async (changes: readonly string[]) => {
        const before = repository.processCount();
        const ms = await timed(() => repository.trialMerge(changes));
        return { ms, processes: (repository.processCount() - before) / (rounds + 1) };
      };
      const calm = await measured(apart);
      const colliding = await measured(together);
      yield* [
        row({
          name: `radar over ${heads} live heads`,
          value: calm.ms,
          unit: "ms",
          reference: bare,
          hold: "≤ 10 × jj log",
          ok: calm.ms <= bare * 10,
        }),
        row({
          name: `radar over ${heads} live heads that all collide`,
          value: colliding.ms,
          unit: "ms",
          reference: bare,
          hold: "≤ 10 × jj log",
          ok: colliding.ms <= bare * 10,
        }),
        row({
          name: "jj processes of one look of the radar, for all agents together",
          value: calm.processes,
          unit: "processes",
          reference: 1,
          hold: "≤ 2; 3 when agents collide",
          ok: calm.processes <= 2 && colliding.processes <= 3,
        }),
      ];
    } finally {
      await repo.remove();
    }
    const { ms, perAgentMinute } = await whileWorking();
    yield* [
      row({
        name: "from both agents' write to the pair named, p95",
        value: ms,
        unit: "ms",
        hold: "≤ 10,000 ms",
        ok: ms <= 10_000,
      }),
      row({
        name: "jj processes per minute of an agent that collides with each write",
        value: perAgentMinute,
        unit: "processes",
        hold: "≤ 60",
        ok: perAgentMinute <= 60,
      }),
    ];
  },
};
export default bench;
