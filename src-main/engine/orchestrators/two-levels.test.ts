import { join } from "node:path";
import { expect, test } from "vitest";
import type { Scene, Script } from "../../model/stand-in/script.ts";
import { withJournalOrNone } from "../../replay/open-recording-file.ts";
import { createRunLists } from "../../replay/run-list.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { answer, peerWord, twoLevelFiles, twoLevels } from "../testing/two-levels-script.ts";

let fixture: Fixture | null = null;

const scene = (name: string, prompt: RegExp, tool: string, input: Record<string, unknown>): Scene => ({
  name,
  prompt,
  steps: [{ calls: [{ tool, input }] }],
});

const doubt = "Is it right that the routes say nothing of ports?";
const word = "Ports are in the contract; leave them out of the routes.";
/** One finished work that its orchestrator cannot judge, and the root can. */
const doubting: Script = {
  ...twoLevels,
  routes: {
    ...twoLevels.routes,
    "O-A-1": [
      scene("settles the doubt", /^\[EVENT align-request\][\s\S]*nothing of ports/u, "answer_agent", {
        agent: "O-B-1",
        answer: word,
      }),
      ...(twoLevels.routes["O-A-1"] ?? []),
    ],
    "O-B-*": [
      // With the answer it is shown the work again, so that it judges without what was said before.
      scene(
        "judges by the answer",
        /^\[EVENT merge request ready\][\s\S]*## Answer of O-A-1/u,
        "approve_merge_request",
        {
          comment: "As O-A-1 says.",
        },
      ),
      scene("doubts", /^\[EVENT merge request ready\][\s\S]*Round 1\.[^\n]*Write the routes/u, "escalate", {
        question: doubt,
        options: [],
      }),
      ...(twoLevels.routes["O-B-*"] ?? []),
    ],
  },
};

const log = (one: Fixture, revset: string, template: string) =>
  one.repo.terminal(["log", "--no-graph", "-r", revset, "-T", template]);

test("two child orchestrators plan, ask upwards, tell their peers, and integrate their parts", async () => {
  fixture = await createFixture({
    script: doubting,
    workflow: "one-judge",
    files: {
      ...twoLevelFiles,
      // How parts stand on each other is read from the graph.
      ".hox/config.toml": `${twoLevelFiles[".hox/config.toml"]}\n[landing]\nmetadata = "trailers"\n`,
    },
  });
  const one = fixture;
  const asked: string[] = [];
  const bound: (readonly string[])[] = [];
  one.answers = {
    ...one.answers,
    mutation: (item) => {
      if (item.kind === "mutation") bound.push([item.from, ...item.binds.toSorted()]);
      return { kind: "approve" };
    },
    "align-request": (item) => {
      if (item.kind === "align-request") asked.push(item.question);
      return { kind: "answer", text: answer };
    },
  };
  await one.start();
  const run = await one.until(over, 600_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  // Each part came onto the trunk by itself: nothing brings more than two sides together.
  const counts = await one.repo.terminal(["log", "--no-graph", "-r", "all()", "-T", 'parents.len() ++ " "']);
  expect(Math.max(...counts.trim().split(" ").map(Number))).toBe(2);
  expect(run.orchestrators).toMatchObject([
    { name: "O-A-1", parent: null, level: "A", stage: "complete", plan: { orchestrators: { count: 3 } } },
    { name: "O-B-1", parent: "O-A-1", level: "B", task: "server", state: "done", planApproved: true },
    { name: "O-B-2", parent: "O-A-1", level: "B", task: "client", state: "done", planApproved: true },
  ]);
  // Of every plan: a part is a task of the root's.
  const listed = withJournalOrNone(join(one.repo.folder, "state"), (journal) =>
    createRunLists()("one", journal, 1),
  );
  expect(listed).toMatchObject([{ tasks: 6, tasksDone: 6 }]);
  const show = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await show("src/server/storage.txt")).toBe("keeps users for 30 days");
  expect(await show("src/server/routes.txt")).toBe("works");
  expect(await show("src/client/page.txt")).toBe("works");
  expect(await show("src/client/cache.txt")).toBe("works");
  expect(await show("src/server/index.txt")).toBe("server together on port 4000");
  expect(await show("src/client/index.txt")).toBe("client together");
  expect(await show("src/index.txt")).toBe("all together");

  // Its parent reviewed each part, and sent one back once.
  const reviews = one.standIn
    .requests()
    .filter(({ seen }) => seen.role === "O-A-1" && seen.prompt.startsWith("[EVENT merge request ready]"));
  const looked = reviews.flatMap(({ seen }) => seen.results.filter(({ tool }) => tool === "show_changes"));
  expect(looked.map(({ output }) => output)).toEqual([
    expect.stringMatching(/^Changes of O-B-\d \([^)]*src\/server\/routes\.txt[\s\S]*\+works/u),
  ]);
  expect(reviews.filter(({ seen }) => seen.turn === 0)).toHaveLength(3);
  for (const { seen } of reviews) expect(seen.prompt).toMatch(/^> \+(works|keeps)/mu);

  // A decision of a part binds its agents and nobody else; one that binds others was refused, with the way to go.
  const agentsOf = (part: string) =>
    run.workers.filter(({ role, parent }) => role === "agent" && parent === part).map(({ name }) => name);
  expect(bound).toEqual([["O-B-1", ...agentsOf("O-B-1").toSorted()]]);
  expect(run.decisions).toMatchObject([
    {
      orchestrator: "O-B-1",
      title: "The server keeps users for 30 days",
      files: ["src/server/contract.txt"],
    },
  ]);
  const rows = await one.execute("run.conversation", { run: run.id, worker: "O-B-1" });
  expect(
    rows.flatMap((row) => (row.kind === "tool-result" && row.error !== null ? [row.output] : [])),
  ).toEqual([
    "src/contract.txt is not of your part: others rely on it. Put the question to O-A-1 with escalate.",
  ]);
  expect(await show("src/server/contract.txt")).toBe("port: 4000\nkeep: 30 days");
  const [decision] = run.decisions;
  expect(
    await log(
      one,
      `${decision?.changeId}:: & description(regex:"(?m)^Hox-Orchestrator: O-B-2$")`,
      "change_id",
    ),
  ).toBe("");

  // The user was asked once, by the root, in the words of the one below it.
  expect(asked).toEqual(["How long are users kept?"]);
  // What one could not judge in finished work, its parent answered, and it judged by that.
  const routes = run.workers.find(({ title }) => title === "Write the routes");
  expect(routes?.mergeRequest?.reviews).toMatchObject([
    { by: "parent", verdict: "approved", words: "As O-A-1 says." },
  ]);
  const events = one.standIn.requests().filter(({ seen }) => seen.turn === 0);
  const [doubted] = events.filter(({ seen }) => seen.role === "O-A-1" && seen.prompt.includes(doubt));
  expect(doubted?.seen.prompt).toContain(`From: O-B-1 (Build the server), for ${routes?.name}`);
  const [settled, ...more] = events.filter(({ seen }) => seen.role === "O-B-1" && seen.prompt.includes(word));
  expect(settled?.seen.prompt).toMatch(/^\[EVENT merge request ready\]/u);
  expect(more).toEqual([]);
  const words = one.engine
    .state()
    .messages.map(({ from, to, type, text }) => `${from} → ${to} ${type}: ${text}`);
  const storage = run.workers.find(({ title }) => title === "Write the storage")?.name ?? "";
  expect(words).toEqual(
    expect.arrayContaining([
      `${storage} → O-B-1 align-request: How long are users kept?`,
      expect.stringContaining("O-B-1 → O-A-1 align-request: How long does the storage keep users?"),
      `O-A-1 → O-B-1 info: ${answer}`,
      `O-B-1 → O-B-1/${storage} info: ${answer}`,
      `O-B-1 → O-* info: ${peerWord}`,
    ]),
  );
  // Read by each of its peers, once.
  const promptsTo = (role: string) =>
    one.standIn
      .requests()
      .filter(({ seen }) => seen.role === role && seen.prompt.startsWith("[EVENT message]"));
  expect(promptsTo("O-A-1")).toHaveLength(1);
  expect(promptsTo("O-B-2")).toHaveLength(1);
  expect(promptsTo("O-B-1")).toHaveLength(0);

  // A part stands between its base and the task that was delegated, decision and all; agents have names of their own in the whole run.
  for (const [name, above] of [
    ["O-B-1", 3],
    ["O-B-2", 2],
  ] as const) {
    const { base, integration } = run.orchestrators.find((part) => part.name === name) ?? {};
    const inside = await log(
      one,
      `${base}::${integration} & description(regex:"(?m)^Hox-Orchestrator: ${name}$")`,
      'change_id.short() ++ "\\n"',
    );
    expect(inside.split("\n")).toHaveLength(above + 1);
  }
  const agents = [...agentsOf("O-B-1"), ...agentsOf("O-B-2")];
  expect(agents.toSorted()).toEqual(["agent-1", "agent-2", "agent-3", "agent-4"]);
  expect(await log(one, "conflicts() | divergent()", "change_id")).toBe("");
}, 660_000);
