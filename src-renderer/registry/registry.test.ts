import { beforeEach, describe, expect, it } from "vitest";
import type { MenuEntry } from "../kit/menu.tsx";
import { type Action, menuCommands } from "./action.ts";
import {
  changeMenuEntries,
  paletteCommands,
  registeredActions,
  registeredDialogs,
  registerFeatures,
} from "./registry.ts";

const action = (id: string): Action => ({ id, title: id, group: "App", run: () => undefined });
const entry = (label: string) => ({ label, onSelect: () => undefined });

describe("what features register", () => {
  beforeEach(() => registerFeatures([]));

  it("is listed in the order of the features", () => {
    registerFeatures([{ actions: [action("a"), action("b")] }, {}, { actions: [action("c")] }]);
    expect(registeredActions().map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(registeredDialogs()).toEqual([]);
  });

  it("orders the parts of a change's menu, and leaves out empty ones", () => {
    registerFeatures([
      { changeMenu: { order: 2, entriesOf: () => [entry("second")] } },
      { changeMenu: { order: 1, entriesOf: (id) => (id === "mine" ? [entry("first")] : []) } },
    ]);
    const labels = (id: string) => changeMenuEntries(id).map((one) => typeof one !== "string" && one.label);
    expect(labels("mine")).toEqual(["first", "second"]);
    expect(labels("another")).toEqual(["second"]);
  });

  it("is all in the palette: each action that can be done, and the menu of what is selected, leaf by leaf", () => {
    const menu: readonly MenuEntry[] = [
      entry("Describe"),
      "separator",
      { label: "Status", items: [entry("done"), { ...entry("open"), checked: true }] },
      { ...entry("Abandon"), disabled: true },
    ];
    registerFeatures([
      { actions: [action("a"), { ...action("b"), available: () => false }] },
      { commands: () => menuCommands(menu) },
    ]);
    expect(paletteCommands().map(({ title }) => title)).toEqual(["a", "Describe", "Status: done"]);
  });

  it("is started once", () => {
    const started: string[] = [];
    registerFeatures([{ start: () => started.push("one") }, { start: () => started.push("two") }]);
    expect(started).toEqual(["one", "two"]);
  });
});
