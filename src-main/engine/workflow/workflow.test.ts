import { afterEach, expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { splitSpending } from "#shared/domain/spending/prices.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { inputTokens, readRequest } from "../../model/stand-in/request.ts";
import { defineScript, type Scene, type Script } from "../../model/stand-in/script.ts";
import type { StandInRequest } from "../../model/stand-in/stand-in.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { acceptsMergeRequests, done, plan, vote, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const tasksOf = (...ids: readonly string[]): Plan => ({
  ...plan,
  // A contract that nobody speaks of.
  contracts: { title: "Manners", description: "One line in each file.", files: ["src/manners.txt"] },
  tasks: ids.map((id) => ({
    id,
    title: `Write the ${id}`,
    description: `Write src/${id}.txt, one line.`,
    phase: 1,
    priority: "medium" as const,
    files: [`src/${id}.txt`],
    after: [],
  })),
});

const planner = (proposed: Plan): Scene => ({
  name: "plan",
  prompt: /^\[EVENT plan(?: changed)?\]/u,
  steps: [{ calls: [{ tool: "propose_plan", input: { ...proposed } }] }],
});

const writes = (id: string, text = `the ${id}\n`): readonly Scene[] => [
  { name: "works", steps: [write(`src/${id}.txt`, text), done(`The ${id} is written.`)] },
];

/** Whoever is asked for anything beyond its routes and scenes finds no answer, and the test fails. */
const script = (routes: Script["routes"]): Script => defineScript({ name: "lean", routes });

const rolesIn = (requests: readonly StandInRequest[]): ReadonlySet<string> =>
  new Set(requests.map(({ seen }) => seen.role));
const eventsIn = (requests: readonly StandInRequest[]): ReadonlySet<string> =>
  new Set(requests.flatMap(({ seen }) => /^\[EVENT ([^\]]+)\]/u.exec(seen.prompt)?.[1] ?? []));

test("a goal of one task is one agent, its checks and one review; a restart resumes that", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    script: script({
      "O-A-1": [planner(tasksOf("store"))],
      "agent-1": writes("store"),
      "validator-1": vote("approve"),
    }),
  });
  const { plan: _plan, land: _land, ...undecided } = agreeable;
  fixture.answers = undecided;
  await fixture.start();
  const proposed = await fixture.card("plan");
  expect(proposed).toMatchObject({
    workflow: { contracts: { mode: "off" }, learning: { mode: "auto" } },
  });
  const { land: _, ...planned } = agreeable;
  fixture.answers = planned;
  // Chosen in a terminal while the plan waits: what is approved then is what the card says by then.
  const noLearning = { kind: "workflow", stage: "learning", mode: "off" } as const;
  await fixture.execute("plan.amend", { orchestrator: "O-A-1", edits: [noLearning] });
  await fixture.card("land");
  // The stage comes from the journal as it was: what was settled is not asked again.
  const before = fixture.standIn.requests().length;
  fixture.answers = agreeable;
  await fixture.reopen();
  const run = await fixture.until(over);
  expect(fixture.standIn.requests().length).toBe(before);

  expect(run.stage).toBe("complete");
  expect(rolesIn(fixture.standIn.requests())).toEqual(new Set(["O-A-1", "agent-1", "validator-1"]));
  expect(eventsIn(fixture.standIn.requests())).toEqual(new Set(["plan"]));
  // Nobody comes back to what it was planned with, so nothing is paid for an hour of memory.
  expect(JSON.stringify(fixture.standIn.requests().map(({ body }) => body))).not.toContain('"ttl"');
  // Of what comes after the plan its author is shown nothing before.
  const [first] = fixture.standIn.requests();
  expect(first?.seen.tools).toContain("propose_plan");
  for (const later of ["approve_merge_request", "write_file", "propose_mutation"])
    expect(first?.seen.tools).not.toContain(later);
  const [root] = run.orchestrators;
  expect(root?.workflow).toMatchObject({
    contracts: { mode: "off", reason: "There is only one task." },
    integrator: { mode: "auto" },
    learning: { mode: "off", by: "user" },
  });
  // No deterministic check less: in the agent's workspace, in a fresh checkout of its merge request, on the merged result.
  const agent = run.workers.find(({ name }) => name === "agent-1");
  expect(agent?.checks).toHaveLength(1);
  expect(agent?.mergeRequest).toMatchObject({
    state: { stage: "merged" },
    checks: [{ outcome: "passed" }],
    reviews: [],
  });
  expect(run.validation).toMatchObject({
    verdict: "approved",
    checks: [{ outcome: "passed" }],
    seats: [{ seat: "validator-1", evidence: "result" }],
    why: "The result is small and changes nothing risky.",
  });
  const { checks } = run.validation ?? {};
  expect(run.workers.find(({ role }) => role === "integrator")).toMatchObject({ status: "done", checks });
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe("the store");
  expect(
    await fixture.repo.terminal([
      "log",
      "--no-graph",
      "-r",
      "::main",
      "-T",
      "description.first_line() ++ '\\n'",
    ]),
  ).not.toContain("Contracts:");
  // No pattern was proposed, by nobody.
  expect(
    fixture.events.some(
      (event) => event.kind === "inbox" && event.items.some(({ kind }) => kind === "pattern"),
    ),
  ).toBe(false);
  expect(
    splitSpending(run.workers, run.budget.byWorker)
      .parts.map(({ role }) => role)
      .toSorted(),
  ).toEqual(["orchestrator", "validator"]);
});

test("four independent tasks pay for their plan, their agents and one validator, and for nothing else", async () => {
  const ids = ["store", "api", "view", "page"];
  const agents = Object.fromEntries(ids.map((id, at) => [`agent-${at + 1}`, writes(id)]));
  fixture = await createFixture({
    workflow: "auto",
    script: script({
      "O-A-1": [planner(tasksOf(...ids))],
      ...agents,
      "validator-1": vote("approve"),
    }),
  });
  await fixture.start();
  expect(await fixture.until(over)).toMatchObject({ stage: "complete" });
  const requests = fixture.standIn.requests();
  const prompts = requests.flatMap(({ seen }) => /^\[[^\]]+\]/u.exec(seen.prompt)?.[0] ?? []);
  const count = (prompt: string): number => prompts.filter((one) => one === prompt).length;
  expect(prompts).toHaveLength(requests.length);
  expect(count("[EVENT plan]")).toBe(1);
  // Two turns of each agent.
  expect(count("[TASK]")).toBe(8);
  expect(count("[VALIDATE]")).toBe(1);
  expect(requests).toHaveLength(10);
});

test("an integrator is asked only if merging leaves work, a rejected result goes to all seats, and both teach", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  let rejected = false;
  const proposed = tasksOf("store", "view");
  fixture = await createFixture({
    workflow: "auto",
    files: {
      "readme.md": "# Example\n",
      // Red only where both lie together and nobody has said so.
      "check.sh": "if [ -e src/store.txt ] && [ -e src/view.txt ]; then test -e src/together.txt; fi\n",
      ".hox/config.toml":
        '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\n[merge_requests]\nstrategy = "merge"\n',
    },
    script: script({
      "O-A-1": [
        planner(proposed),
        {
          name: "review",
          prompt: /^\[EVENT merge request ready\]/u,
          steps: [{ calls: [{ tool: "approve_merge_request", input: { comment: "As asked." } }] }],
        },
        { name: "learn", prompt: /^\[EVENT learn\]/u, steps: [done("Nothing.")] },
      ],
      "agent-1": writes("store"),
      "agent-2": writes("view"),
      integrator: [
        {
          name: "repairs",
          prompt: "Validators rejected the result",
          steps: [write("src/together.txt", "both, really\n"), done("Repaired.")],
        },
        {
          name: "brings together",
          prompt: "sh check.sh",
          steps: [write("src/together.txt", "both\n"), done("Together.")],
        },
      ],
      "validator-*": [
        {
          name: "votes",
          steps: [
            (seen) => {
              const vote = seen.prompt.includes("attempt 1") ? "reject" : "approve";
              rejected ||= vote === "reject";
              return {
                calls: [
                  {
                    tool: "cast_vote",
                    input: {
                      vote,
                      commit: /Commit: ([0-9a-f]+)/u.exec(seen.prompt)?.[1] ?? "",
                      reason: "I looked.",
                    },
                  },
                ],
              };
            },
          ],
        },
      ],
    }),
  });
  fixture.answers = {
    ...agreeable,
    // A user wants each task reviewed; nothing else is wanted otherwise.
    plan: (item) =>
      item.kind === "plan"
        ? { kind: "approve", plan: { ...item.plan, workflow: { reviews: { mode: "on", by: "user" } } } }
        : null,
  };
  await fixture.start();
  const run = await fixture.until(over);
  expect(run.stage).toBe("complete");
  expect(rejected).toBe(true);
  expect(eventsIn(fixture.standIn.requests())).toEqual(new Set(["plan", "merge request ready", "learn"]));
  expect(run.orchestrators[0]?.workflow?.reviews).toMatchObject({ mode: "on", by: "user" });
  expect(run.validation).toMatchObject({ attempt: 2, verdict: "approved", why: "It was rejected before." });
  expect(run.validation?.seats).toHaveLength(4);

  // A review reads what it judges and not what was said before: no plan, no other review.
  const reviews = fixture.standIn
    .requests()
    .filter(({ seen }) => seen.prompt.startsWith("[EVENT merge request ready]"));
  expect(reviews).toHaveLength(2);
  for (const { seen } of reviews) {
    expect(seen.turns).toBe(0);
    expect(seen.opening).toBe(seen.prompt);
    expect(seen.prompt).toContain("None of them were written down beforehand.");
    expect(seen.prompt).toMatch(/^## Diff$/mu);
  }
  const sizes = reviews.map(({ body }) => inputTokens(readRequest(body, false)));
  expect(Math.max(...sizes) - Math.min(...sizes), "the second one is as short as the first").toBeLessThan(20);
  const learned = fixture.standIn.requests().find(({ seen }) => seen.prompt.startsWith("[EVENT learn]"));
  expect(
    learned?.seen.turns,
    "what was planned stays in the orchestrator's own conversation",
  ).toBeGreaterThan(0);
  expect(totalTokens(run.budget.spent.usage)).toBeGreaterThan(0);
});

test("of four independent tasks only the one that leaves its files is reviewed before the result is judged", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    script: script({
      "O-A-1": [planner(tasksOf("store", "view", "mail", "queue")), acceptsMergeRequests],
      "agent-1": writes("store"),
      "agent-2": writes("view"),
      "agent-3": [
        {
          name: "works",
          steps: [write("src/mail.txt", "the mail\n"), write("src/post.txt", "the post\n"), done("Written.")],
        },
      ],
      "agent-4": writes("queue"),
      "validator-*": vote("approve"),
    }),
  });
  await fixture.start();
  const run = await fixture.until(over);
  expect(run.stage).toBe("complete");
  const reviewed = fixture.standIn
    .requests()
    .flatMap(({ seen }) =>
      seen.prompt.startsWith("[EVENT merge request ready]") ? [/agent-\d/u.exec(seen.prompt)?.[0]] : [],
    );
  expect(reviewed).toEqual(["agent-3"]);
  const requests = run.workers.flatMap(({ role, mergeRequest }) => (role === "agent" ? [mergeRequest] : []));
  expect(requests.map((request) => request?.reviews.length)).toEqual([0, 0, 1, 0]);
  expect(requests.map((request) => request?.unreviewedLines)).toEqual([1, 1, undefined, 1]);
  expect(run.validation?.seats).toHaveLength(1);
});

test("the last tasks are checked once with the merged result, and what fails there goes to the integrator", async () => {
  const checking = new Set<string>();
  const both = Promise.withResolvers<void>();
  const isDone = ({ name, status }: RunView["workers"][number]): boolean =>
    name.startsWith("agent-") && (status === "review" || status === "done");
  /** Neither agent sees the other's work: both check theirs together, and none is merged before both are done. */
  const together = (sandbox: Sandbox): Sandbox => ({
    ...sandbox,
    async run(placed) {
      const { HOX_WORKER: worker = "" } = placed.environment;
      if (placed.command !== "sh check.sh" || !worker.startsWith("agent-")) return sandbox.run(placed);
      if (placed.workspace.includes("/checkouts/"))
        await fixture?.until(({ workers }) => workers.filter(isDone).length === 2);
      checking.add(worker);
      if (checking.size === 2) both.resolve();
      await both.promise;
      return sandbox.run(placed);
    },
  });
  fixture = await createFixture({
    workflow: "auto",
    sandbox: async () => together(await createSandbox({ allowUnsandboxed: false })),
    files: {
      "readme.md": "# Example\n",
      // Each alone passes, both together do not.
      "check.sh": "if [ -e src/store.txt ] && [ -e src/view.txt ]; then test -e src/together.txt; fi\n",
      ".hox/config.toml": '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\n',
    },
    script: script({
      "O-A-1": [planner(tasksOf("store", "view"))],
      "agent-1": writes("store"),
      "agent-2": writes("view"),
      integrator: [
        {
          name: "brings together",
          prompt: "failed",
          steps: [write("src/together.txt", "both\n"), done("They fit.")],
        },
      ],
      "validator-*": vote("approve"),
    }),
  });
  await fixture.start();
  const run = await fixture.until(over);
  expect(run.stage).toBe("complete");
  const agents = run.workers.filter(({ role }) => role === "agent");
  expect(agents.map(({ mergeRequest }) => mergeRequest?.reviews)).toEqual([[], []]);
  expect(run.workers.find(({ role }) => role === "integrator")).toMatchObject({
    iteration: 1,
    checks: [{ outcome: "passed" }],
  });
});
