import { describe, expect, it } from "vitest";
import type { Priority } from "#shared/domain/change-metadata/metadata.ts";
import type { Change } from "#shared/graph/change.ts";
import { aChange } from "#shared/testing/kit.ts";
import { bandsOf, moveTo, stepFrom, withPending } from "./queue-bands.ts";

const task = (changeId: string, priority: Priority, rank: string, more: Partial<Change> = {}): Change =>
  aChange(changeId, {
    ...{ commitId: changeId, description: changeId },
    metadata: { kind: "task", status: "open", priority, rank },
    ...more,
  });

const changes = [
  task("c", "high", "a2"),
  task("a", "high", "a0"),
  task("b", "high", "a1"),
  task("m", "medium", "a0"),
  task("z", "high", "a0", { metadata: { kind: "task", status: "done", priority: "high" } }),
];
const bands = bandsOf(changes);

const ids = (priority: Priority, of = bands): string[] =>
  (of.find((band) => band.priority === priority)?.tasks ?? []).map((one) => one.changeId);

describe("the queue", () => {
  it("holds unfinished tasks by priority and rank", () => {
    expect(bands.map((band) => band.priority)).toEqual(["critical", "high", "medium", "low"]);
    expect(ids("high")).toEqual(["a", "b", "c"]);
  });

  it("names the neighbours of a drop, within a band and across", () => {
    expect(moveTo(bands, "a", { priority: "high", index: 2 })).toMatchObject({ above: "b", below: "c" });
    expect(moveTo(bands, "c", { priority: "high", index: 0 })).toMatchObject({ above: null, below: "a" });
    expect(moveTo(bands, "a", { priority: "medium", index: 1 })).toMatchObject({ above: "m", below: null });
    expect(moveTo(bands, "a", { priority: "low", index: 0 })).toMatchObject({ above: null, below: null });
  });

  it("does not move a task to its current position", () => {
    expect(moveTo(bands, "b", { priority: "high", index: 1 })).toBeNull();
    expect(moveTo(bands, "b", { priority: "high", index: 2 })).toBeNull();
  });

  it("shows a pending move, and the earlier order when it is dropped", () => {
    const move = moveTo(bands, "a", { priority: "medium", index: 0 });
    if (!move) throw new Error("the move should be one");
    const shown = bandsOf(withPending(changes, [move]));
    expect(ids("high", shown)).toEqual(["b", "c"]);
    expect(ids("medium", shown)).toEqual(["a", "m"]);
    expect(withPending(changes, [])).toBe(changes);
  });

  it("keeps a second move while another one is pending", () => {
    const first = moveTo(bands, "a", { priority: "high", index: 2 });
    const moved = bandsOf(withPending(changes, first ? [first] : []));
    const second = moveTo(moved, "c", { priority: "high", index: 1 });
    if (!first || !second) throw new Error("both should be moves");
    expect(ids("high", bandsOf(withPending(changes, [first, second])))).toEqual(["b", "c", "a"]);
  });

  it("moves a task below others that have no rank yet, which get one with it", () => {
    const bare = ["x", "y", "z"].map((id) =>
      task(id, "high", "", { metadata: { kind: "task", status: "open", priority: "high" } }),
    );
    const all = [...changes, ...bare];
    const move = moveTo(bandsOf(all), "a", { priority: "high", index: 5 });
    expect(move).toMatchObject({ above: "c", below: "z", unranked: ["x", "y"] });
    expect(ids("high", bandsOf(withPending(all, move ? [move] : [])))).toEqual([
      "b",
      "c",
      "x",
      "y",
      "a",
      "z",
    ]);
    const first = moveTo(bandsOf(bare), "x", { priority: "high", index: 2 });
    expect(ids("high", bandsOf(withPending(bare, first ? [first] : [])))).toEqual(["y", "x", "z"]);
  });

  it("steps by keyboard over the edge of a band into the next", () => {
    const apply = (changeId: string, by: -1 | 1) => {
      const place = stepFrom(bands, changeId, by);
      const move = place && moveTo(bands, changeId, place);
      return move ? bandsOf(withPending(changes, [move])) : null;
    };
    expect(ids("high", apply("a", 1) ?? [])).toEqual(["b", "a", "c"]);
    expect(ids("high", apply("c", -1) ?? [])).toEqual(["a", "c", "b"]);
    expect(ids("medium", apply("c", 1) ?? [])).toEqual(["c", "m"]);
    expect(ids("critical", apply("a", -1) ?? [])).toEqual(["a"]);
  });
});
