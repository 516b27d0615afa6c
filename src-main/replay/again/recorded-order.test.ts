import { afterEach, expect, it } from "vitest";
import { createRecordedOrder, type RecordedOrder } from "./recorded-order.ts";

let order: RecordedOrder | undefined;
afterEach(() => order?.stop());

const parts = ["a", "b", "c", "d"].map((id, at) => ({ id, at }));

it("lets each have its turn when all before it are through, and what the recording does not hold at once", async () => {
  order = createRecordedOrder(parts, () => true);
  const gone: string[] = [];
  const all = ["d", "b", "a", "elsewhere"].map(async (id) => {
    await order?.turnOf(id);
    gone.push(id);
    order?.passed(id);
  });
  // Nobody asks for it any more.
  order.passed("c");
  await Promise.all(all);
  expect(gone).toHaveLength(4);
  expect(gone.filter((id) => id !== "elsewhere")).toEqual(["a", "b", "d"]);
});

it("does not wait for what does not come, but for what is still at work", async () => {
  let looks = 0;
  order = createRecordedOrder(
    parts,
    () => {
      looks += 1;
      return looks < 3;
    },
    { idleMs: 1, busyMs: 60_000 },
  );
  await order.turnOf("c");
  expect(looks).toBe(3);
  expect(order.count()).toBe(2);
  order.stop();
  // Whoever is at work may itself wait for who waits.
  order = createRecordedOrder(parts, () => true, { idleMs: 1, busyMs: 1 });
  await order.turnOf("b");
  expect(order.count()).toBe(1);
});
