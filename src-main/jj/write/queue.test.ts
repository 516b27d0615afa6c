import { afterEach, expect, it } from "vitest";
import { createOwnWrites } from "../graph-memory/own-writes.ts";
import { locateStore } from "../process/op-heads.ts";
import { createJj } from "../process/process.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";
import { createQueue } from "./queue.ts";

let test: TestRepository;
afterEach(() => test.remove());

async function emptyQueue() {
  test = await createTestRepository();
  const store = await locateStore(test.repository.root);
  return createQueue(createJj(), store, createOwnWrites(store));
}

it("what can wait goes behind what others ask for later, and one after the other", async () => {
  const queue = await emptyQueue();
  const order: string[] = [];
  const { promise: first, resolve: end } = Promise.withResolvers<void>();
  const note = (name: string) => async () => void order.push(name);
  void queue.exclusive(() => first);
  void queue.exclusive(note("merge one"), true);
  void queue.exclusive(note("merge another"), true);
  void queue.exclusive(note("save"));
  const last = queue.exclusive(async () => {
    void queue.exclusive(note("save again"));
    order.push("begin");
  });
  end();
  await last;
  await queue.idle();
  expect(order).toEqual(["save", "begin", "save again", "merge one", "merge another"]);
  expect(queue.isBusy()).toBe(false);
});
