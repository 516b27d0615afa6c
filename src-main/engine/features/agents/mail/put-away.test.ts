import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Change } from "#shared/graph/change.ts";
import { emptyRun } from "#shared/run/state.ts";
import type { RunReader } from "../../../ports.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";
import { judgedFiles, judgedScript, seat } from "../../../testing/verdict-script.ts";
import { messagesToPutAway, readOnGraph } from "./feature.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const message = (nth: number, more: Partial<Change["metadata"]> = {}, parents = ["base"]): Change => ({
  commitId: `commit-${nth}`,
  changeId: `change-${nth}`,
  parents,
  description: `Word ${nth}`,
  author: { name: "Hox", email: "hox@localhost" },
  timestamp: nth,
  metadata: { kind: "message", status: "done", run: "r", msgType: "info", msgTo: "O-A-1/agent-1", ...more },
  immutable: false,
  divergent: false,
  conflict: false,
});
const run = (changes: readonly Change[], putAway: readonly string[] = []): RunReader =>
  ({
    id: "r",
    changes: new Map(changes.map((change) => [change.changeId, change])),
    facts: {
      ...emptyRun,
      putAwayMessages: putAway.map((changeId) => ({
        ...{ changeId, from: "user", to: "O-A-1", type: "info", text: "", at: 0, handled: true },
      })),
    },
  }) as unknown as RunReader;
const many = Array.from({ length: readOnGraph.most }, (_, nth) => message(nth));

test("read messages stay while there are few; of many only the oldest are archived", () => {
  expect(messagesToPutAway(run(many))).toEqual({ messages: [], changes: [] });
  const others = [
    message(-1, { status: "open" }),
    message(-2, { run: "another" }),
    message(-3, { kind: "mutation" }),
    message(-4),
    message(-5, { kind: "task" }, ["commit--4"]),
  ];
  const { messages, changes } = messagesToPutAway(run([...others, ...many, message(99)]));
  expect(changes.map(({ changeId }) => changeId)).toEqual(
    Array.from({ length: readOnGraph.most + 1 - readOnGraph.kept }, (_, nth) => `change-${nth}`),
  );
  expect(messages.map(({ changeId }) => changeId)).toEqual(changes.map(({ changeId }) => changeId));
});

test("a recorded message that is still on the graph is removed, and not recorded twice", () => {
  expect(messagesToPutAway(run([message(1), message(2)], ["change-1"]))).toEqual({
    messages: [],
    changes: [message(1)],
  });
});

test("thirty messages to an agent are archived without loss", {
  tags: ["long"],
}, async () => {
  const script = judgedScript({ "validator-1": seat(() => "approve") });
  const prompts: string[] = [];
  fixture = await createFixture({
    workflow: "auto",
    files: judgedFiles(["validator_count = 1"], "[workflow]", 'panel = "off"', 'learning = "off"'),
    script: {
      ...script,
      routes: {
        ...script.routes,
        "agent-1": [
          {
            name: "has read",
            prompt: "From user: Word 29",
            steps: [
              (seen) => {
                prompts.push(seen.prompt);
                return write("src/store.txt", "keeps users\n");
              },
              done("The store keeps users."),
            ],
          },
          {
            name: "waits",
            // Until all messages are sent.
            steps: [
              {
                calls: [
                  {
                    tool: "run_command",
                    input: { command: "while [ ! -e go ]; do sleep 0.1; done; rm go", timeout_seconds: 250 },
                  },
                ],
              },
              done("Done."),
            ],
          },
        ],
      },
    },
  });
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  const { workers } = await one.until((now) =>
    now.workers.some(({ name, state }) => name === "agent-1" && state === "tools"),
  );
  for (let nth = 0; nth < 30; nth++)
    await one.execute("run.messageWorker", { worker: "agent-1", text: `Word ${nth}.` });
  const openMessages = async (): Promise<number> =>
    (
      await one.repo.terminal([
        ...["log", "--no-graph", "-T", 'change_id ++ "\\n"'],
        ...["-r", 'description(regex:"(?m)^Hox-Kind: message$")'],
      ])
    )
      .split("\n")
      .filter((line) => line !== "").length;
  expect(await openMessages()).toBe(30);
  await writeFile(join(workers.find(({ name }) => name === "agent-1")?.workspace ?? "", "go"), "");
  await one.until((_, inbox) => inbox.some(({ kind }) => kind === "land"));
  expect(prompts).toHaveLength(1);
  await expect.poll(openMessages).toBe(readOnGraph.kept);
  const words = () => one.engine.state().messages.filter(({ from }) => from === "user");
  const texts = (): readonly string[] => words().map(({ text, handled }) => `${text} ${handled}`);
  const all = Array.from({ length: 30 }, (_, nth) => `Word ${nth}. true`).sort();
  expect(texts().toSorted()).toEqual(all);

  await one.reopen();
  expect(texts().toSorted()).toEqual(all);
  await one.until((_, inbox) => inbox.some(({ kind }) => kind === "land"));
  const card = one.engine.state().inbox.find(({ kind }) => kind === "land");
  await one.execute("inbox.answer", {
    ...(card ?? expect.fail("Nobody is asked.")),
    decision: { kind: "approve", bookmark: "main" },
  });
  const end = await one.until(over);
  expect(end.stage).toBe("complete");
  await expect.poll(openMessages).toBe(0);
  expect(texts().toSorted()).toEqual(all);
  // Nobody was told a word twice.
  expect(prompts).toHaveLength(1);
});
