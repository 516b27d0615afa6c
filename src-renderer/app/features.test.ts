import { describe, expect, it } from "vitest";
import { agent } from "../features/agent/feature.ts";
import { plan } from "../features/plan/feature.ts";
import type { Feature } from "../registry/feature.ts";
import { features } from "./features.ts";

const actions = features.flatMap((feature) => feature.actions ?? []);

describe("the features of the window", () => {
  it("name no action twice", () => {
    const ids = actions.map(({ id }) => id);
    expect([...new Set(ids)]).toEqual(ids);
  });

  it("list their keys in the help in a fixed order", () => {
    expect(actions.filter(({ keys }) => keys).map(({ id }) => id)).toEqual([
      ...["palette", "keyboard", "settings"],
      ...[
        "filter",
        "find",
        "find-next",
        "find-previous",
        "next-pane",
        "inbox",
        "log-view",
        "canvas-view",
        "queue",
        "inspector",
        "time",
      ],
      ...["undo", "redo"],
      ...[
        "open",
        "next-repository",
        "start-run",
        "start-beside",
        "next-run",
        "approve-plan",
        "wide-diff",
        "open-in-editor",
        "open-in-terminal",
        "open-in-files",
        "next-comment",
      ],
      ...["page-runs", "move-to-landed"],
      ...["page-reports", "page-patterns", "page-workers"],
      ...[
        "replay-play",
        "replay-before",
        "replay-next",
        "replay-from",
        "replay-to",
        "replay-compare",
        "replay-end",
      ],
      ...["tour-show", "tour-next-event"],
    ]);
  });

  it("share a key only where one of them waits for what the other has brought about", () => {
    const byKeys = Map.groupBy(
      actions.filter(({ keys }) => keys),
      ({ keys }) => keys,
    );
    const shared = [...byKeys.values()].filter((same) => same.length > 1);
    expect(shared.map((same) => same.map(({ id }) => id))).toEqual([["start-run", "approve-plan"]]);
  });

  it("put the agent of a change before its place in the plan", () => {
    const order = (feature: Feature): number => feature.changeMenu?.order ?? Number.NaN;
    expect(order(agent)).toBeLessThan(order(plan));
  });
});
