import type { WorkerView } from "#shared/contract/views/run.ts";
import { openFixture, over } from "../src-main/engine/testing/run-fixture.ts";
import { calmAgents, done, exampleFiles, rewrite } from "../src-main/engine/testing/three-agents-script.ts";
import { inputTokens, readRequest } from "../src-main/model/stand-in/request.ts";
import type { Script, ScriptedStep } from "../src-main/model/stand-in/script.ts";
import type { StandInRequest } from "../src-main/model/stand-in/stand-in.ts";
import { contextTokens } from "../src-shared/domain/spending/usage.ts";
import { type Bench, type Row, row } from "./row.ts";

const count = 16;
const paths = Array.from({ length: count }, (_, at) => `src/module-${at + 1}.txt`);
/** As long as modules are: about 1,500 tokens, and no two alike. */
const moduleText = (path: string, at: number): string =>
  Array.from(
    { length: 120 },
    (_, line) => `${path} ${line + 1}: rule ${(at * 131 + line * 7919) % 9973} holds for what is kept here\n`,
  ).join("");

const files = {
  ...exampleFiles,
  ...Object.fromEntries(paths.map((path, at) => [path, moduleText(path, at)])),
  "agents/searcher.md":
    "---\nname: searcher\ndescription: Looks through files and answers with what it found\n---\n\nYou read what you are asked about and answer in a few lines, each with its path.\n",
};

const early = "Say which files there are.";
const question = "Say which of the modules speak of rule 42, with the line of each.";
const answer = "src/module-3.txt, line 17, and src/module-11.txt, line 96; no other module does.";
const fork = (agent: string, task: string): ScriptedStep => ({
  calls: [{ tool: "fork_subagent", input: { agent, task } }],
});
const reads: ScriptedStep = { calls: paths.map((path) => ({ tool: "read_file", input: { path } })) };

/** Forked at the beginning, forked again when it has read much, and the same question put to an agent that begins fresh. */
const script: Script = {
  ...calmAgents,
  name: "forks",
  routes: {
    ...calmAgents.routes,
    "agent-1": [
      { name: "early", prompt: early, steps: [{ say: "A contract and its modules." }] },
      { name: "late", prompt: question, steps: [{ say: answer }] },
      {
        name: "works",
        steps: [
          { calls: [{ tool: "read_file", input: { path: "src/contract.txt" } }] },
          fork("", early),
          reads,
          fork("clone", question),
          fork("searcher", question),
          ...rewrite("src/index.txt", "the store\n"),
          done("The store keeps users."),
        ],
      },
    ],
    "agent-1-fork-3": [{ name: "searches", steps: [reads, { say: answer }] }],
  },
};

const tokensOf = ({ body }: StandInRequest): number => inputTokens(readRequest(body, false));

/** What of its caller's last request before it a clone's first one found in the cache, in percent. */
function prefixShare(requests: readonly StandInRequest[], fork: WorkerView, task: string): number {
  const of = (isFork: boolean): readonly StandInRequest[] =>
    requests.filter(({ seen }) => seen.role === "agent-1" && seen.prompt.includes("[FORK]") === isFork);
  const first = of(true).find(({ seen }) => seen.prompt.includes(task));
  if (!first) throw new Error(`Nobody was asked "${task}".`);
  const caller = of(false)
    .filter((request) => requests.indexOf(request) < requests.indexOf(first))
    .at(-1);
  const share = fork.fork?.cachedShare;
  if (!caller || share == null) throw new Error(`${fork.name} was not answered.`);
  // The provider remembers no more than what was sent before.
  return (100 * share * tokensOf(first)) / tokensOf(caller);
}

function cachedRow(when: string, share: number, whole: number): Row {
  return row({
    name: `a clone ${when} (${Math.round(whole / 1000)}k tokens): its caller's prefix, from cache`,
    value: share,
    unit: "%",
    hold: "≥ 95 %",
    ok: share >= 95,
  });
}

function costRows(clone: WorkerView, fresh: WorkerView): readonly Row[] {
  const cents = ({ spent }: WorkerView): number => spent.microDollars / 10_000;
  const anew = ({ spent }: WorkerView): number => contextTokens(spent.usage) - spent.usage.cacheRead;
  return [
    row({
      name: "one question (scripted words): a clone beside a fresh agent",
      value: cents(clone),
      unit: "¢",
      reference: cents(fresh),
      hold: "≤ 0.5 × a fresh agent",
      ok: cents(clone) <= 0.5 * cents(fresh),
    }),
    row({
      name: "tokens of it that no cache held",
      value: anew(clone),
      unit: "tokens",
      reference: anew(fresh),
      hold: "shown",
      ok: true,
    }),
    row({
      name: "requests of it",
      value: clone.spent.requests,
      unit: "requests",
      reference: fresh.spent.requests,
      hold: "shown",
      ok: true,
    }),
  ];
}

/**
 * What a clone saves: over the real wire, with a provider's cache that is played by its rules. The words are scripted: a
 * clone answers from what its caller has read, and an agent that begins fresh reads the same files first.
 */
const bench: Bench = {
  name: "forks",
  async *run() {
    process.stderr.write(
      "bench: forks: scripted words, and a cache that is played: this measures what is sent, no model.\n",
    );
    const fixture = await openFixture({ script, files });
    try {
      await fixture.start();
      const run = await fixture.until(over, 600_000);
      if (run.stage !== "complete") throw new Error(`The run is ${run.stage}: ${run.failure?.reason}`);
      const [atFirst, clone, fresh] = run.workers.filter(({ role }) => role === "fork");
      if (!atFirst || !clone || !fresh) throw new Error("Not every fork has begun.");
      const requests = fixture.standIn.requests();
      const whole = (task: string): number => {
        const first = requests.find(({ seen }) => seen.prompt.includes(task));
        return first ? tokensOf(first) : 0;
      };
      yield cachedRow("at the beginning", prefixShare(requests, atFirst, early), whole(early));
      yield cachedRow(`after ${count} files`, prefixShare(requests, clone, question), whole(question));
      yield* costRows(clone, fresh);
    } finally {
      await fixture.remove();
    }
  },
};

export default bench;
