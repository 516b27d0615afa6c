import { expect, test } from "vitest";
import { compareQueued } from "#shared/domain/change-metadata/rank.ts";
import { createAgentSlots, createWorkspaceLock } from "./workspace-lock.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("the next free slot goes to the first in the queue at that moment, not to the first request", async () => {
  const queue = new Map([
    ["a", { id: "a", priority: "low" as const, rank: "a0" }],
    ["b", { id: "b", priority: "medium" as const, rank: "a1" }],
    ["c", { id: "c", priority: "medium" as const, rank: "a0" }],
  ]) as Map<string, { id: string; priority: "low" | "medium" | "critical"; rank: string }>;
  const of = (name: string) => queue.get(name) ?? { id: name, priority: null, rank: "" };
  const slots = createAgentSlots({
    limit: () => 1,
    order: (one, other) => compareQueued(of(one), of(other)),
  });
  const begun: string[] = [];
  const { signal } = new AbortController();
  const work = ["a", "b", "c"].map(async (name) => {
    const release = await slots.take(name, signal);
    begun.push(name);
    // While the first works, the last of the queue is dragged to the top.
    if (begun.length === 1) queue.set("a", { id: "a", priority: "critical", rank: "a0" });
    await turn();
    release();
    release();
  });
  await Promise.all(work);
  expect(begun).toEqual(["c", "a", "b"]);
});

test("an aborted waiter takes no slot", async () => {
  const slots = createAgentSlots({ limit: () => 1, order: () => 0 });
  const release = await slots.take("a", new AbortController().signal);
  const giveUp = new AbortController();
  const waiting = slots.take("b", giveUp.signal);
  giveUp.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  release();
  await expect(slots.take("c", new AbortController().signal)).resolves.toBeTypeOf("function");
});

test("a decision waits for every turn to end, works alone, and releases all", async () => {
  const lock = createWorkspaceLock();
  const log: string[] = [];
  let end: () => void = () => undefined;
  const first = lock.withShared("agent-1", async () => {
    log.push("turn");
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    log.push("turn ends");
  });
  await turn();
  const alone = lock.withAllExclusive(async () => {
    log.push("alone");
    await turn();
    log.push("alone ends");
  });
  const second = lock.withShared("agent-1", async () => void log.push("next turn"));
  await turn();
  expect(lock.pendingReason("agent-1")).toBe("the graph is being rewritten");
  expect(log).toEqual(["turn"]);
  end();
  await Promise.all([first, alone, second]);
  expect(log).toEqual(["turn", "turn ends", "alone", "alone ends", "next turn"]);
  expect(lock.pendingReason("agent-1")).toBeNull();
  await expect(lock.withAllExclusive(async () => Promise.reject(new Error("failed")))).rejects.toThrow(
    "failed",
  );
  await expect(lock.withShared("agent-1", async () => "still open")).resolves.toBe("still open");
});

test("one agent is kept out while its work is rewritten, and the others take their turns", async () => {
  const lock = createWorkspaceLock();
  const log: string[] = [];
  let end: () => void = () => undefined;
  const first = lock.withShared("agent-1", async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    log.push("agent-1 ends its turn");
  });
  await turn();
  const apart = lock.withExclusive("agent-1", async () => {
    log.push("apart");
    await turn();
    log.push("apart ends");
  });
  const next = lock.withShared("agent-1", async () => void log.push("agent-1 again"));
  const alone = lock.withAllExclusive(async () => void log.push("alone"));
  expect(lock.pendingReason("agent-2")).toBe("the graph is being rewritten");
  await turn();
  expect(log).toEqual([]);
  end();
  await Promise.all([first, apart, next, alone]);
  expect(log.slice(0, 4)).toEqual(["agent-1 ends its turn", "apart", "apart ends", "alone"]);
  const other = lock.withExclusive("agent-1", () => turn());
  await lock.withShared("agent-2", async () => void log.push("agent-2"));
  expect(log.at(-1)).toBe("agent-2");
  await other;
});

test("a decision keeps out exactly the agents that it binds, also later ones", async () => {
  const lock = createWorkspaceLock();
  const log: string[] = [];
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const bound = (who: string) => who.startsWith("below/");
  const inside = lock.withShared("below/1", async () => held.then(() => log.push("below/1 ends its turn")));
  const sibling = lock.withShared("beside/1", () => held);
  await turn();
  const decision = lock.withExclusive(
    bound,
    async () => void log.push("decided"),
    "a decision is being applied",
  );
  const late = lock.withShared("below/2", async () => void log.push("below/2"));
  expect([
    lock.pendingReason("below/1"),
    lock.pendingReason("below/2"),
    lock.pendingReason("beside/1"),
  ]).toEqual(["a decision is being applied", "a decision is being applied", null]);
  await lock.withShared("beside/2", async () => void log.push("beside/2"));
  expect(log).toEqual(["beside/2"]);
  end();
  await Promise.all([inside, sibling, decision, late]);
  expect(log).toEqual(["beside/2", "below/1 ends its turn", "decided", "below/2"]);
});
