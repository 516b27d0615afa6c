import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Scene, Seen } from "../../../../model/stand-in/script.ts";
import { choosesNothing, reviewedByUser } from "../../../testing/attempts-script.ts";
import { call, parentsOf, scriptOf, show, worker } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, rewrite, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const isFork = ({ prompt }: Seen): boolean => prompt.includes("[FORK]");
/** Two iterations: the first writes and asks, the second finishes. A fork does something else. */
const agent: readonly Scene[] = [
  {
    name: "forked",
    prompt: (seen) => isFork(seen),
    steps: [
      (seen) => write("src/model.txt", `${seen.model}\n`),
      ...rewrite("src/one.txt", "forked\n"),
      done("Another way."),
    ],
  },
  {
    name: "second",
    prompt: /^\[TASK\][\s\S]*Iteration 2\./,
    steps: [
      call("read_file", { path: "src/one.txt" }),
      write("src/one.txt", "two\n"),
      call("list_files", { path: "." }),
      done("The usual way."),
    ],
  },
  {
    name: "first",
    prompt: /^\[TASK\][\s\S]*Iteration 1\./,
    steps: [
      write("src/one.txt", "one\n"),
      call("list_files", { path: "." }),
      { say: "That is a beginning." },
    ],
  },
];
interface Asked {
  readonly model: string;
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly unknown[];
}
const requestsFor = (one: Fixture, isWanted: (seen: Seen) => boolean) =>
  one.standIn
    .requests()
    .filter(({ seen }) => seen.role === "agent-1" && isWanted(seen))
    .map(({ body }) => body as Asked);

/** Its work is done and waits for a user. */
async function offered(): Promise<Fixture> {
  fixture = await createFixture({
    files: reviewedByUser,
    script: scriptOf({ "agent-1": agent }),
  });
  const one = fixture;
  one.answers = choosesNothing;
  await one.start();
  await one.card("merge-request");
  return one;
}

test("a fork from a middle turn begins with exactly that request, on a parallel change, with another model", {
  tags: ["long"],
}, async () => {
  const one = await offered();
  // The host that forks is another one than the one that heard the conversation.
  await one.reopen();
  const at = { worker: "agent-1", iteration: 2, turn: 1 };
  const preview = await one.execute("attempt.previewFork", at);
  expect(preview).toMatchObject({ refusal: null, model: "claude-sonnet-5-5" });
  expect(preview.files).toContain("when iteration 2 began");
  for (const [refused, why] of [
    [{ ...at, turn: 9 }, /4 turns/],
    [{ ...at, iteration: 7 }, /no iteration 7/],
    [{ ...at, worker: "O-A-1", iteration: 1 }, /is an orchestrator/],
  ] as const)
    expect((await one.execute("attempt.previewFork", refused)).refusal?.reason).toMatch(why);
  await expect(one.execute("attempt.fork", { ...at, words: "", model: "no-such-model" })).rejects.toThrow(
    /no-such-model/,
  );
  const { worker: name } = await one.execute("attempt.fork", {
    ...at,
    words: "Rather write forked.",
    model: "claude-haiku-5-5",
  });
  expect(name).toBe("agent-2");
  // The work that was on its way waits for a choice again.
  await one.until((_, inbox) => !inbox.some(({ kind }) => kind === "merge-request"));
  await one.card("attempts");
  const run = one.engine.state().run as RunView;
  const [origin, fork] = [worker(run, "agent-1"), worker(run, name)];
  expect(await parentsOf(one, fork.changeId)).toEqual(await parentsOf(one, origin.changeId));
  expect(await show(one, origin.changeId ?? "", "src/one.txt")).toBe("two");
  expect(await show(one, fork.changeId ?? "", "src/one.txt")).toBe("forked");
  expect(await show(one, fork.changeId ?? "", "src/model.txt")).toBe("claude-haiku-5-5");

  const [before] = requestsFor(
    one,
    (seen) => seen.prompt.includes("Iteration 2.") && seen.turn === 1 && !isFork(seen),
  );
  const [now] = requestsFor(one, isFork);
  if (!before || !now) throw new Error("Nobody was asked.");
  expect(JSON.stringify(now.system)).toBe(JSON.stringify(before.system));
  expect(JSON.stringify(now.tools)).toBe(JSON.stringify(before.tools));
  expect(now.model).toBe("claude-haiku-5-5");
  // The request of the origin's second turn ends with what its first call came to; up to its answer nothing differs.
  const text = (body: Asked, count: number) => JSON.stringify(body.messages.slice(0, count), withoutMarks);
  expect(before.messages).toHaveLength(3);
  expect(text(now, 2)).toBe(text(before, 2));
  const last = JSON.stringify(now.messages.at(2));
  for (const words of ["Rather write forked.", "From here on you are agent-2", "when iteration 2 began"])
    expect(last).toContain(words);
  expect(now.messages).toHaveLength(3);

  await one.execute("attempt.choose", { worker: name });
  one.answers = agreeable;
  const mergeRequest = await one.card("merge-request");
  await one.execute("inbox.answer", { ...mergeRequest, decision: { kind: "approve" } });
  expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(await show(one, "main", "src/one.txt")).toBe("forked");
  expect(one.standIn.unmatched()).toEqual([]);
});

/** Where the provider may cache moves with the end of a conversation, and is none of its words. */
const withoutMarks = (key: string, value: unknown): unknown => (key === "cache_control" ? undefined : value);

test("a fork from an iteration's end has exactly its files, and old turns say why they cannot be forked", {
  tags: ["long"],
}, async () => {
  const one = await offered();
  const at = { worker: "agent-1", iteration: 1, turn: 3 };
  expect((await one.execute("attempt.previewFork", at)).files).toContain("exactly as agent-1 had them");
  await one.execute("attempt.fork", { ...at, words: "", model: null });
  const [forked] = await one.card("attempts").then(() => requestsFor(one, isFork));
  // Its last answer called nothing, so nothing had to be answered for the fork.
  expect(JSON.stringify(forked?.messages)).not.toContain("It is not yours.");
  const run = one.engine.state().run as RunView;
  const usages = async (name: string) =>
    (await one.execute("run.conversation", { run: run.id, worker: name })).flatMap((row) =>
      row.kind === "usage" ? [row.usage] : [],
    );
  // What its origin's last request of that iteration sent is read from the cache.
  const before = (await usages("agent-1"))[at.turn - 1];
  const sent = (before?.input ?? 0) + (before?.cacheRead ?? 0) + (before?.cacheWrite5m ?? 0);
  expect(sent).toBeGreaterThan(0);
  expect((await usages("agent-2"))[0]?.cacheRead).toBeGreaterThanOrEqual(sent * 0.95);
  expect(run.attempts[0]?.attempts[1]).toMatchObject({ worker: "agent-2", from: at, nth: 2 });
  await one.execute("run.stop");
});
