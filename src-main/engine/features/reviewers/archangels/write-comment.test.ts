import { expect, test } from "vitest";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import { config, merged, scriptOf, worker } from "../../../testing/merge-request-script.ts";
import { requestsOf } from "../../../testing/read-run.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

test("an orchestrator is interrupted between two requests, and the user's line comments reach their recipients", async () => {
  fixture = await createFixture({
    files: config(""),
    script: scriptOf(
      {
        "agent-1": [
          {
            name: "was told of a line",
            prompt: "My comment on readme.md, line 1 (# Example):",
            steps: [write("src/one.txt", "one\n"), done("As you say.")],
          },
          { name: "begins", steps: [write("src/one.txt", "one\n"), done("One.")] },
        ],
      },
      [{ name: "hears the user", prompt: /^\[EVENT user message\]/u, steps: [done("I mind it.")] }],
    ),
  });
  const one = fixture;
  const send = (text: string) => one.execute("run.messageWorker", { worker: "O-A-1", text });
  const letContractsGo = one.standIn.hold(
    ({ role, prompt }) => role === "O-A-1" && prompt.startsWith("[EVENT contracts]"),
  );
  const letAgentGo = one.standIn.hold(({ role }) => role === "agent-1");
  await one.start();
  await one.until(
    () => requestsOf(one, "O-A-1").at(-1)?.seen.prompt.startsWith("[EVENT contracts]") === true,
    60_000,
  );
  await send("Keep ids short.");
  const sent = () => one.engine.state().messages.find(({ text }) => text === "Keep ids short.");
  expect(sent()?.delivered, "it waits behind what is asked already").toBeUndefined();
  await one.execute("run.interruptWorker", { worker: "O-A-1" });
  letContractsGo();
  await one.until(() => sent()?.handled === true);
  const asked = requestsOf(one, "O-A-1");
  const noted = asked.find(({ body }) =>
    JSON.stringify(body).includes("[NOTE] The user wrote to you while you are answering [EVENT contracts]"),
  );
  // The answer that it waited for was the first; with the next request of the same event it is told.
  expect(noted?.seen).toMatchObject({ turn: 1, prompt: expect.stringMatching(/^\[EVENT contracts\]/u) });
  expect(JSON.stringify(noted?.body)).toContain("Keep ids short.");
  // It is answered as every message is.
  expect(asked.filter(({ seen }) => seen.prompt.startsWith("[EVENT user message]"))).toHaveLength(1);
  expect(one.events).toContainEqual(
    expect.objectContaining({ kind: "notice", text: "O-A-1 answers you: I mind it." }),
  );

  const run = await one.until(() => requestsOf(one, "agent-1").length > 0);
  const changeId = worker(run, "agent-1").changeId ?? "";
  const say = (to: "agent" | "orchestrator" | "review", text: string, line: number | null = 1) =>
    one.execute("comment.write", { changeId, path: "readme.md", line, text, to });
  await expect(
    one.execute("comment.write", {
      ...{ changeId: "k".repeat(32), path: "readme.md", line: 1, text: "Who?", to: "agent" },
    }),
  ).rejects.toThrow("No agent of this run works on that change.");
  expect(await say("agent", "Say whose.")).toEqual({ comment: "you-1" });
  await say("orchestrator", "Is this yours?");
  await say("review", "Look here.");
  const texts = () => one.engine.state().messages.map(({ to, text }) => [to, text]);
  expect(texts()).toContainEqual([
    "O-A-1/agent-1",
    "My comment on readme.md, line 1 (# Example):\n\nSay whose.",
  ]);
  expect(texts()).toContainEqual([
    "O-A-1",
    "My comment on agent-1's work, readme.md, line 1 (# Example):\n\nIs this yours?",
  ]);
  letAgentGo();
  const now = await one.until(merged("agent-1"));
  expect(now.comments.map(({ id, sentTo }) => [id, sentTo])).toEqual([
    ["you-1", "agent-1"],
    ["you-2", "O-A-1"],
    ["you-3", null],
  ]);
  const judged = requestsOf(one, "O-A-1").find(({ seen }) =>
    seen.prompt.startsWith("[EVENT merge request ready]"),
  );
  expect(sectionOf(judged?.seen.prompt ?? "", "The user's comments on its lines").trim()).toBe(
    "- readme.md, line 1 (# Example): Look here.",
  );
  await expect(say("agent", "Too late.")).rejects.toThrow("agent-1 is done.");
  expect(one.standIn.unmatched()).toEqual([]);
}, 300_000);
