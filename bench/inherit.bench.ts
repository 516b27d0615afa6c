import type { WorkerView } from "#shared/contract/views/run.ts";
import { type Fixture, openFixture } from "../src-main/engine/testing/run-fixture.ts";
import { done, exampleFiles, plan, write } from "../src-main/engine/testing/three-agents-script.ts";
import { inputTokens, readRequest } from "../src-main/model/stand-in/request.ts";
import type { Scene, Script } from "../src-main/model/stand-in/script.ts";
import type { StandInRequest } from "../src-main/model/stand-in/stand-in.ts";
import { type Bench, type Row, row } from "./row.ts";

const count = 8;
const paths = Array.from({ length: count }, (_, at) => `src/module-${at + 1}.txt`);
const moduleText = (path: string, at: number): string =>
  Array.from(
    { length: 120 },
    (_, line) => `${path} ${line + 1}: rule ${(at * 131 + line * 7919) % 9973} holds for what is kept here\n`,
  ).join("");

const files = (contracts: "always" | "never") => ({
  ...exampleFiles,
  ...Object.fromEntries(paths.map((path, at) => [path, moduleText(path, at)])),
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[loop_defaults]\nmax_parallel_agents = 1\n[workflow]\ncontracts = "${contracts}"\n`,
});

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
const blocked = (name: string, prompt: string): Scene => ({
  name,
  prompt,
  steps: [call("report_done", { summary: "Enough.", blocked: "This measures how it begins." })],
});
const tasks = ["inherit", "inherit", "fresh"].map((context, at) => ({
  id: `task-${at + 1}`,
  title: `Write module ${at + 17}`,
  description: `Write src/module-${at + 17}.txt.`,
  phase: 1,
  priority: "medium",
  files: [`src/module-${at + 17}.txt`],
  after: [],
  context,
}));

/** An orchestrator that has read the modules before it plans, and three agents of which two inherit that. */
const script = (hasContracts: boolean): Script => ({
  name: "inherit",
  routes: {
    "O-A-1": [
      blocked("agent-1", "From here on you are agent-1"),
      blocked("agent-2", "From here on you are agent-2"),
      {
        name: "plan",
        prompt: /^\[EVENT plan\]/,
        steps: [
          { calls: paths.map((path) => ({ tool: "read_file", input: { path } })) },
          call("propose_plan", {
            ...plan,
            contracts: hasContracts ? plan.contracts : { ...plan.contracts, files: [] },
            tasks,
          }),
        ],
      },
      {
        name: "contracts",
        prompt: /^\[EVENT contracts\]/,
        steps: [write("src/contract.txt", "id: userId\n"), done("The contract stands.")],
        optional: true,
      },
      {
        name: "helps nobody",
        prompt: /^\[EVENT child blocked\]/,
        steps: [call("ask_user", { question: "Go on?", options: [] })],
        optional: true,
      },
    ],
    "agent-*": [blocked("begins", "[TASK]")],
  },
});

const costOf = ({ spent }: WorkerView): number => spent.microDollars / 10_000;
const tokensOf = ({ body }: StandInRequest): number => inputTokens(readRequest(body, false));

interface Measured {
  readonly fresh: WorkerView;
  readonly inheriting: readonly WorkerView[];
  /** Tokens of the first request of one that inherits. */
  readonly whole: number;
  /** Tokens of the tools of the plan's first request, and of what came after it. */
  readonly tools: readonly [number, number];
}

async function measure(contracts: "always" | "never"): Promise<Measured> {
  const fixture: Fixture = await openFixture({
    script: script(contracts === "always"),
    files: files(contracts),
  });
  try {
    fixture.answers = { plan: () => ({ kind: "approve" }) };
    await fixture.start();
    const asked = () => fixture.standIn.requests();
    const names = ["agent-1", "agent-2", "agent-3"];
    const run = await fixture.until(
      ({ workers }) =>
        names.every((name) => workers.some((worker) => worker.name === name && worker.spent.requests > 0)),
      300_000,
    );
    const workers = run.workers.filter(({ name }) => names.includes(name));
    const inheriting = workers.filter(({ inherits }) => inherits != null);
    const fresh = workers.find(({ inherits }) => inherits == null);
    const first = asked().find(({ seen }) => seen.prompt.includes("From here on you are agent-1"));
    if (!fresh || !first) throw new Error("Not everybody has begun.");
    const toolTokens = ({ body }: StandInRequest): number =>
      inputTokens({ ...readRequest(body, false), system: [], messages: [] });
    const [planning] = asked();
    if (!planning) throw new Error("Nobody planned.");
    return { fresh, inheriting, whole: tokensOf(first), tools: [toolTokens(planning), toolTokens(first)] };
  } finally {
    await fixture.remove();
  }
}

function rows(
  when: string,
  { fresh, inheriting, whole }: Measured,
  least: readonly number[],
): readonly Row[] {
  return inheriting.flatMap((worker, at) => {
    const which = `agent ${at + 1} that inherits ${Math.round(whole / 1000)}k tokens ${when}`;
    const share = 100 * (worker.inherits?.cachedShare ?? 0);
    return [
      row({
        name: `${which}: first request, from cache`,
        value: share,
        unit: "%",
        hold: least[at] === 0 ? "shown" : `≥ ${least[at]} %`,
        ok: share >= (least[at] ?? 0),
      }),
      row({
        name: `${which}: its cost beside one that begins fresh`,
        value: costOf(worker),
        unit: "¢",
        reference: costOf(fresh),
        hold: "shown",
        ok: true,
      }),
    ];
  });
}

/**
 * What the conversation of an orchestrator costs its agents, over the real wire with a provider's cache that is played by
 * its rules: with contracts, which send that conversation before any agent does, and without.
 */
const bench: Bench = {
  name: "inherit",
  async *run() {
    process.stderr.write(
      "bench: inherit: scripted words, and a cache that is played: this measures what is sent, no model.\n",
    );
    const after = await measure("always");
    yield* rows("after contracts", after, [80, 80]);
    const without = await measure("never");
    yield* rows("without contracts", without, [0, 80]);
    yield row({
      name: "tools of an orchestrator that lends its conversation, beside its plan's",
      value: after.tools[1],
      unit: "tokens",
      reference: after.tools[0],
      hold: "shown",
      ok: true,
    });
  },
};

export default bench;
