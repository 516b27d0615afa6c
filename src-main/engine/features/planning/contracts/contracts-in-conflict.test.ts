import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Scene, ScriptedStep } from "../../../../model/stand-in/script.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, rewrite } from "../../../testing/three-agents-script.ts";
import {
  answer,
  oneDelegated,
  partPlan,
  twoLevelFiles,
  twoLevelsWith,
} from "../../../testing/two-levels-script.ts";

let fixture: Fixture | null = null;

const contract = "src/server/contract.txt";
const decided = "port: 5000\n";
const title = "The server listens on port 5000";

const scene = (name: string, prompt: RegExp, ...steps: readonly ScriptedStep[]): Scene => ({
  name,
  prompt,
  steps,
});
const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });

/** Its one agent waits for the answer while the decision is applied. */
const script = twoLevelsWith({
  root: oneDelegated,
  part: (part) => ({ ...partPlan(part), tasks: partPlan(part).tasks.slice(1) }),
});
/** The root decides on a file that is one part's own contract; that part's orchestrator corrects what it wrote. */
const contradicting = {
  ...script,
  routes: {
    ...script.routes,
    "O-A-1": [
      scene(
        "decides",
        /^\[EVENT align-request\]/u,
        call("propose_mutation", {
          title,
          reason: "Port 4000 is taken.",
          edits: [{ path: contract, content: decided }],
        }),
      ),
      scene(
        "answers",
        /^\[EVENT mutation applied\]/u,
        call("answer_agent", { agent: "O-B-1", answer: `${answer} And mind the port.` }),
      ),
      ...(script.routes["O-A-1"] ?? []),
    ],
    "O-B-*": [
      scene(
        "corrects its contracts",
        /^\[EVENT contracts in conflict\]/u,
        ...rewrite(contract, `${decided}keep: 30 days\n`),
        done("The port is 5000."),
      ),
      scene("passes the answer on", /^\[EVENT escalation answered\]/u, (seen) =>
        call("answer_agent", { agent: /question of (\S+)\./u.exec(seen.prompt)?.[1] ?? "", answer }),
      ),
      ...(script.routes["O-B-*"] ?? []),
    ],
  },
};

test("an orchestrator corrects its contracts after a conflicting decision from above, and no agent below has to", {
  tags: ["long"],
  timeout: 660_000,
}, async () => {
  fixture = await createFixture({ script: contradicting, files: twoLevelFiles });
  const one = fixture;
  const shown: (InboxItem & { kind: "mutation" })[] = [];
  one.answers = {
    ...one.answers,
    mutation: (item) => {
      if (item.kind === "mutation") shown.push(item);
      return { kind: "approve" };
    },
  };
  await one.start();
  const storage = (view: RunView) => view.workers.find((worker) => worker.title === "Write the storage");
  const run = await one.until((view) => storage(view)?.mergeRequest?.state.stage === "merged", 600_000);

  // The user saw whose contracts it contradicts before it was applied.
  expect(shown).toMatchObject([
    { from: "O-A-1", title, conflicts: [{ worker: "O-B-1", files: [contract] }] },
  ]);
  const asked = one.standIn
    .requests()
    .filter(({ seen }) => seen.turn === 0 && seen.prompt.startsWith("[EVENT contracts in conflict]"));
  expect(asked.map(({ seen }) => seen.role)).toEqual(["O-B-1"]);
  expect(asked[0]?.seen.prompt).toContain(`- ${contract}`);
  expect(asked[0]?.seen.prompt).toContain(`- ${title}: Port 4000 is taken.`);

  const { base } = run.orchestrators.find(({ name }) => name === "O-B-1") ?? {};
  const jj = (...args: string[]) => one.repo.terminal(args);
  expect(await jj("file", "show", "-r", base ?? "", contract)).toBe(`${decided}keep: 30 days`);
  expect(await jj("file", "show", "-r", storage(run)?.changeId ?? "", contract)).toBe(
    `${decided}keep: 30 days`,
  );
  // Everyone below inherits it: no change of the run holds a conflict, and only the contracts' own change the words.
  expect(await jj("log", "--no-graph", "-r", "conflicts() | divergent()", "-T", "change_id")).toBe("");
  expect(await jj("log", "--no-graph", "-r", `files("${contract}") & ${base}+::`, "-T", "description")).toBe(
    "",
  );
  expect(run.workers.filter(({ conflict }) => conflict !== "none")).toEqual([]);
  await one.execute("run.stop");
});
