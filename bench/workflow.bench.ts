import { openFixture, over } from "../src-main/engine/testing/run-fixture.ts";
import { inputTokens, readRequest } from "../src-main/model/stand-in/request.ts";
import type { StandInRequest } from "../src-main/model/stand-in/stand-in.ts";
import type { RunView } from "../src-shared/contract/views/run.ts";
import { totalTokens } from "../src-shared/domain/spending/usage.ts";
import { type Bench, type Row, row } from "./row.ts";
import { goal, goalScript } from "./workflow/goal.ts";
import { files } from "./workflow/project.ts";

interface Account {
  readonly dollars: number;
  readonly tokens: number;
  readonly requests: number;
}

interface Measured {
  readonly all: Account;
  readonly agents: Account;
  /** Tokens of each request of a review by the orchestrator, in order. */
  readonly reviews: readonly number[];
  /** Role → what it spent. */
  readonly byRole: Readonly<Record<string, Account>>;
}

const nothing: Account = { dollars: 0, tokens: 0, requests: 0 };
const add = (one: Account, other: Account): Account => ({
  dollars: one.dollars + other.dollars,
  tokens: one.tokens + other.tokens,
  requests: one.requests + other.requests,
});

function accountOf(run: RunView, requests: readonly StandInRequest[]): Measured {
  const byRole: Record<string, Account> = {};
  for (const { name, role } of run.workers) {
    const spent = run.budget.byWorker[name];
    if (spent)
      byRole[role] = add(byRole[role] ?? nothing, {
        dollars: spent.microDollars / 1e6,
        tokens: totalTokens(spent.usage),
        requests: spent.requests,
      });
  }
  return {
    all: Object.values(byRole).reduce(add, nothing),
    agents: byRole.agent ?? nothing,
    reviews: requests
      .filter(({ seen }) => seen.prompt.startsWith("[EVENT merge request ready]"))
      .map(({ body }) => inputTokens(readRequest(body, false))),
    byRole,
  };
}

/** A whole run to its landed result, over the real wire. */
async function measure(tasks: number, together: boolean): Promise<Measured> {
  const fixture = await openFixture({
    script: goalScript(tasks, together),
    files: files(),
    workflow: "auto",
  });
  try {
    fixture.settings = { ...fixture.settings, maxParallelAgents: 4 };
    await fixture.start({ goal: goal(tasks) });
    const run = await fixture.until(over, 1_800_000);
    if (run.stage !== "complete") throw new Error(`The run is ${run.stage}: ${run.failure?.reason}`);
    return accountOf(run, fixture.standIn.requests());
  } finally {
    await fixture.remove();
  }
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * (whole - part)) / whole);

const most = 45;
/** `HOX_BENCH_TASKS=1,2` measures those alone. */
const sizes = (process.env.HOX_BENCH_TASKS ?? "1,2,8,32").split(",").map(Number);

const nameOf = (tasks: number): string => `${tasks} ${tasks === 1 ? "task" : "tasks"}`;

/** What the run of this number of tasks spent apart from its agents, and compared to `alone`, one agent that does it all. */
function rowsOf(tasks: number, measured: Measured, alone: Measured): readonly Row[] {
  const named = nameOf(tasks);
  const overhead = share(measured.agents.dollars, measured.all.dollars);
  return [
    row({
      name: `dollars beside the agents, ${named}`,
      value: overhead,
      unit: "%",
      hold: tasks === 2 ? `≤ ${most} %` : "shown",
      ok: tasks !== 2 || overhead <= most,
    }),
    row({
      name: `tokens beside the agents, ${named}`,
      value: share(measured.agents.tokens, measured.all.tokens),
      unit: "%",
      hold: "shown",
      ok: true,
    }),
    row({
      name: `dollars of the run, ${named}, beside one agent alone`,
      value: measured.all.dollars,
      unit: "$",
      reference: alone.agents.dollars,
      hold: "shown",
      ok: true,
    }),
    row({
      name: `tokens of the run, ${named}, beside one agent alone`,
      value: measured.all.tokens,
      unit: "tokens",
      reference: alone.agents.tokens,
      hold: "shown",
      ok: true,
    }),
  ];
}

/**
 * What a run spends beside its agents: planning, contracts, reviews, integration, votes and learning. The words of the
 * models are scripted and the same however a run goes; what is asked, and so what is paid, is the run's own. One agent
 * alone is the agent of a run whose plan is one task that does it all, without that overhead.
 */
const bench: Bench = {
  name: "workflow",
  async *run() {
    for (const tasks of sizes) {
      const measured = await measure(tasks, false);
      const alone = tasks === 1 ? measured : await measure(tasks, true);
      const named = nameOf(tasks);
      for (const [role, spent] of Object.entries(measured.byRole))
        process.stderr.write(
          `bench: workflow: ${named}: ${role.padEnd(12)} ${spent.requests} requests, ${spent.tokens} tokens, $${spent.dollars.toFixed(4)}\n`,
        );
      process.stderr.write(
        `bench: workflow: ${named}: tokens of review requests: ${measured.reviews.join(" ") || "none"}\n`,
      );
      yield* rowsOf(tasks, measured, alone);
    }
  },
};

export default bench;
