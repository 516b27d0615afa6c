import { describe, expect, it } from "vitest";
import type { HostEvent } from "#shared/contract/events.ts";
import { patchBetween } from "#shared/domain/patch.ts";
import type { Change } from "#shared/graph/change.ts";
import { aChange } from "#shared/testing/kit.ts";
import { mergeRows } from "./conversation-store.ts";
import type { GraphState } from "./graph-store.ts";
import {
  changeOfKey,
  keyOf,
  noGraph,
  reduceGraph,
  searchChanges,
  untilOnScreen,
  useGraph,
} from "./graph-store.ts";
import { addressOf, emptyHost, reduceHost } from "./host-store.ts";

const refs = { bookmarks: {}, workspaces: {} };

/** A change whose ids are made of a letter: change id `kkkk…`, commit id `<version>` in hex. */
const change = (
  letter: string,
  version: number,
  parents: readonly string[],
  more: Partial<Change> = {},
): Change =>
  aChange(letter.repeat(12), {
    ...{ commitId: `${version}`.padStart(8, "0"), parents, description: `Change ${letter}` },
    ...more,
  });

const part = (
  changes: readonly Change[],
  first: boolean,
  last: boolean,
  operations: readonly string[] = [],
): HostEvent => ({ kind: "graph-part", operation: "op1", first, last, changes, refs, operations });

function reduce(state: GraphState, ...events: readonly HostEvent[]): GraphState {
  const reduced = reduceGraph(state, events);
  if (reduced.kind === "gap") throw new Error("a gap where none was expected");
  return reduced.state;
}

const base = change("k", 1, []);
const top = change("l", 2, [base.commitId]);

describe("the graph store", () => {
  it("shows the first part at once and the whole with the last", () => {
    const early = reduce(noGraph, part([top], true, false));
    expect(early.graph?.changes).toEqual([top]);
    expect(early.arriving).toHaveLength(1);
    const whole = reduce(early, part([base], false, true));
    expect(whole.graph?.changes).toEqual([top, base]);
    expect(whole.arriving).toBeNull();
  });

  it("keeps every row that a delta does not touch, and finds a rewritten change by its key", () => {
    const whole = reduce(noGraph, part([top, base], true, true));
    const rewritten = change("l", 3, [base.commitId], { description: "Said better" });
    const next = reduce(whole, {
      kind: "graph-delta",
      delta: { from: "op1", operation: "op2", added: [rewritten], removed: [top.commitId] },
      refs: null,
      operations: [],
    });
    expect(next.graph?.operation).toBe("op2");
    expect(next.graph?.changes[1]).toBe(base);
    expect(next.graph && changeOfKey(next.graph, keyOf(top))?.description).toBe("Said better");
  });

  it("asks for a snapshot when a delta starts elsewhere, and passes over one it has", () => {
    const whole = reduce(noGraph, part([top, base], true, true));
    const delta = { from: "other", operation: "op9", added: [], removed: [] };
    const event = { kind: "graph-delta", refs: null, operations: [] } as const;
    expect(reduceGraph(whole, [{ ...event, delta }]).kind).toBe("gap");
    expect(reduce(whole, { ...event, delta: { ...delta, operation: "op1" } })).toBe(whole);
  });

  it("moves the names that a delta moves, and keeps them as they are when it moves none", () => {
    const delta = { from: "op1", operation: "op2", added: [], removed: [] };
    const before = { bookmarks: { main: ["1"], old: ["2"] }, workspaces: { one: "1" } };
    const after = { bookmarks: { main: ["2", "3"], new: ["1"] }, workspaces: { one: "1" } };
    const event = { kind: "graph-delta", delta, operations: [] } as const;
    const whole = reduce(noGraph, { ...part([top, base], true, true), refs: before } as HostEvent);
    expect(reduce(whole, { ...event, refs: null }).graph?.refs).toBe(whole.graph?.refs);
    expect(reduce(whole, { ...event, refs: patchBetween(before, after) }).graph?.refs).toEqual(after);
  });

  it("shows an operation with the delta that brings it or a later one, or with the next whole graph", async () => {
    const id = (digit: string) => digit.repeat(128);
    const short = (digit: string) => digit.repeat(12);
    const shownNow = (digit: string) => {
      let isShown = false;
      void untilOnScreen(id(digit)).then(() => {
        isShown = true;
      });
      return async () => {
        await Promise.resolve();
        return isShown;
      };
    };
    const whole = reduce(noGraph, part([top, base], true, true, [short("b"), short("a")]));
    useGraph.setState(whole, true);
    expect(await shownNow("a")()).toBe(true);
    const [first, second, lost] = [shownNow("c"), shownNow("d"), shownNow("e")];
    expect(await first()).toBe(false);
    const delta = { from: "op1", operation: "op2", added: [], removed: [] };
    const event: HostEvent = { kind: "graph-delta", delta, refs: null, operations: [short("d"), short("c")] };
    useGraph.setState(reduce(whole, event), true);
    expect([await first(), await second(), await lost()]).toEqual([true, true, false]);
    useGraph.setState(reduce(whole, event, part([top, base], true, true)), true);
    expect(await lost()).toBe(true);
    useGraph.setState(noGraph, true);
  });

  it("drops the graph when another repository opens", () => {
    const whole = reduce(noGraph, part([top, base], true, true));
    const state = { view: { path: "/r", name: "r", rehearsal: null, runs: [] } };
    const repository = { ...state, runs: [], run: null, inbox: [], operations: [] };
    expect(reduce(whole, { kind: "repository", repository }).graph).toBeNull();
  });

  it("finds changes by words and by id", () => {
    const { graph } = reduce(noGraph, part([top, base], true, true));
    if (!graph) throw new Error("no graph");
    expect(searchChanges(graph, "change l", 5).map((found) => found.change)).toEqual([top]);
    expect(searchChanges(graph, "kkkk", 5).map((found) => found.change)).toEqual([base]);
  });
});

describe("the host store", () => {
  it("is the same object after an event that does not concern it", () => {
    expect(reduceHost(emptyHost, part([], true, true))).toBe(emptyHost);
  });

  it("forgets everything of a closed repository", () => {
    const opening = reduceHost(emptyHost, { kind: "repository-opening", path: "/r", step: "reading" });
    expect(opening.opening?.path).toBe("/r");
    expect(reduceHost(opening, { kind: "repository", repository: null })).toEqual(emptyHost);
  });

  it("knows under which address a worker is reached", () => {
    expect(addressOf({ name: "O-A-1", parent: null, role: "orchestrator" })).toBe("O-A-1");
    expect(addressOf({ name: "O-B-1", parent: "O-A-1", role: "orchestrator" })).toBe("O-B-1");
    expect(addressOf({ name: "agent-2", parent: "O-A-1", role: "agent" })).toBe("O-A-1/agent-2");
  });
});

describe("conversations", () => {
  it("lets the last row grow in place and keeps the order", () => {
    const text = (index: number, words: string) => ({ kind: "text" as const, index, at: 0, text: words });
    const grown = mergeRows([text(0, "a"), text(1, "b")], [text(1, "bc"), text(2, "d")]);
    expect(grown.map((row) => row.kind === "text" && row.text)).toEqual(["a", "bc", "d"]);
    expect(mergeRows(grown, [])).toBe(grown);
  });
});
