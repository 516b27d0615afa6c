import { beforeEach, describe, expect, it } from "vitest";
import type { AppView } from "#shared/contract/views/app.ts";
import type { MenuEntry } from "../kit/menu.tsx";
import { useHost } from "../state/host-store.ts";
import { type Action, menuCommands } from "./action.ts";
import {
  changeMenuEntries,
  paletteCommands,
  refusalOfAction,
  registeredActions,
  registeredDialogs,
  registerFeatures,
  withRefusals,
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

  it("is disabled, with the reason, where the role of the person does not allow it", () => {
    const me = { name: "Ann", role: "watch", repositories: {}, owners: ["Otto"] };
    useHost.setState({ app: { me } as unknown as AppView });
    const pause: Action = { ...action("pause"), command: "run.pause" };
    expect(refusalOfAction(pause)).toBe(
      "This needs the role steer; yours is watch. Otto can give it to you.",
    );
    const entries = withRefusals([
      entry("Show"),
      { label: "Status", command: "change.setMetadata", items: [entry("done")] },
      { label: "More", items: [{ ...entry("Abandon"), command: "change.abandon" }] },
    ]);
    expect(menuCommands(entries).map(({ title }) => title)).toEqual(["Show"]);
    expect(entries[1]).toMatchObject({
      disabled: true,
      title: expect.stringContaining("needs the role steer"),
    });
    useHost.setState({ app: null });
    expect(refusalOfAction(pause)).toBeNull();
  });

  it("is started once", () => {
    const started: string[] = [];
    registerFeatures([{ start: () => started.push("one") }, { start: () => started.push("two") }]);
    expect(started).toEqual(["one", "two"]);
  });
});
