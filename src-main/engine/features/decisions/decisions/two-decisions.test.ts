/** Decisions that are proposed beside one another: each is made on what the one before has left. */
import { expect, onTestFinished, test } from "vitest";
import { defineScript, type Scene, type Script } from "../../../../model/stand-in/script.ts";
import { agreeable, createFixture } from "../../../testing/run-fixture.ts";
import { done, exampleFiles, plan, threeAgents, write } from "../../../testing/three-agents-script.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
const path = "src/contract.txt";
const agents = ["agent-1", "agent-2"] as const;

type Edit = readonly [old_text: string, new_text: string] | { readonly content: string };

/** Two agents ask, and each answer is a decision with an edit. */
function asking(edits: readonly Edit[]): Script {
  const orchestrator = (threeAgents.routes["O-A-1"] ?? []).map((scene): Scene => {
    switch (scene.name) {
      case "plan":
        return { ...scene, steps: [call("propose_plan", { ...plan, tasks: plan.tasks.slice(0, 2) })] };
      case "question":
        return {
          ...scene,
          steps: [
            ({ prompt }) => {
              const at = agents.findIndex((agent) => prompt.includes(`From: ${agent}`));
              const edit = edits[at] ?? { content: "" };
              const change = "content" in edit ? edit : { old_text: edit[0], new_text: edit[1] };
              const title = `Decision ${at + 1}`;
              return call("propose_mutation", {
                ...{ title, reason: "They asked.", edits: [{ path, ...change }] },
              });
            },
          ],
        };
      case "answer":
        return {
          ...scene,
          steps: [
            ({ prompt }) =>
              call("answer_agent", {
                ...{ agent: /(agent-\d) now/u.exec(prompt)?.[1] ?? "", answer: "It is decided." },
              }),
          ],
        };
      default:
        return scene;
    }
  });
  const works = (file: string): readonly Scene[] => [
    { name: "continues", prompt: "It is decided.", steps: [write(file, "written\n"), done("Done.")] },
    { name: "asks", steps: [call("align_request", { question: "How?", options: [], blocking: true })] },
  ];
  return defineScript({
    name: "two decisions",
    routes: {
      ...threeAgents.routes,
      ...{ "O-A-1": orchestrator, "agent-1": works("src/store.txt"), "agent-2": works("src/api.txt") },
    },
  });
}

/** Both are before the user at once, and are approved one after the other. */
async function decideBoth(edits: Parameters<typeof asking>[0]) {
  const one = await createFixture({ script: asking(edits), files: exampleFiles });
  onTestFinished(() => one.remove());
  const both = Promise.withResolvers<void>();
  const shown: string[] = [];
  one.answers = {
    ...agreeable,
    mutation: async ({ id }) => {
      shown.push(id);
      if (shown.length === 2) both.resolve();
      await both.promise;
      return { kind: "approve" };
    },
  };
  await one.start();
  return one;
}

test("two decisions on one file are both in it", { tags: ["long"], timeout: 300_000 }, async () => {
  const one = await decideBoth([
    ["id: userId", "id: user_id"],
    ["name: text", "name: string"],
  ]);
  const { decisions } = await one.until((run) => run.decisions.length === 2);
  const last = decisions.at(-1)?.changeId ?? "";
  expect(await one.repo.terminal(["file", "show", "-r", last, path])).toBe("id: user_id\nname: string");
  await one.execute("run.stop");
});

const contents = (id: string) => `id: ${id}\nname: text`;

test.each([
  ["text", ["id: userId", "id: uid"], "old_text occurs 0 times"],
  ["a file", { content: contents("uid") }, "src/contract.txt has changed since"],
] as const)(
  "a decision on %s that another one has replaced is rejected, although it was approved",
  {
    tags: ["long"],
    timeout: 300_000,
  },
  async (_, edit, reason) => {
    const one = await decideBoth([
      typeof edit === "object" && "content" in edit
        ? { content: contents("user_id") }
        : ["id: userId", "id: user_id"],
      edit,
    ]);
    const isRejected = () =>
      one.standIn.requests().some(({ seen }) => seen.prompt.includes("was not applied"));
    const { decisions } = await one.until(isRejected);
    expect(decisions).toHaveLength(1);
    const decided = await one.repo.terminal(["file", "show", "-r", decisions[0]?.changeId ?? "", path]);
    expect([contents("user_id"), contents("uid")]).toContain(decided);
    expect(one.events).toContainEqual({
      ...{ kind: "notice", level: "warning", remedy: "O-A-1 may propose it again." },
      text: expect.stringContaining(`was not applied: ${reason}`),
    });
    await one.execute("run.stop");
  },
);
