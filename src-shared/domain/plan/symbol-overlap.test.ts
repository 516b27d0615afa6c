import { describe, expect, it } from "vitest";
import { aPlan, aTask } from "../../testing/kit.ts";
import type { Outline } from "../symbols/outline.ts";
import type { PlannedTask } from "./plan.ts";
import { checkPlan } from "./plan-check.ts";
import { problemGroups } from "./problem-texts.ts";
import { filesToOutline, symbolHints } from "./symbol-overlap.ts";

const symbol = (name: string, from: number, to: number) => ({ name, from, to, signature: name });
const outline: Outline = {
  imports: [{ from: 1, to: 1 }],
  symbols: [
    symbol("createUser", 3, 10),
    symbol("UserStore", 12, 30),
    symbol("UserStore.save", 13, 18),
    symbol("UserStore.load", 20, 29),
    symbol("maxUsers", 32, 32),
    symbol("maxNames", 33, 33),
  ],
};
const outlines = new Map([["src/api.ts", outline]]);
const task = (id: string, over: Partial<PlannedTask>): PlannedTask =>
  aTask(id, { files: ["src/api.ts"], description: "Do it.", ...over });
const named = (id: string, ...symbols: readonly string[]): PlannedTask =>
  task(id, { symbols: symbols.map((name) => `src/api.ts#${name}`) });
const texts = (...tasks: readonly PlannedTask[]): readonly string[] =>
  checkPlan(aPlan({ tasks }), null, outlines).map(({ text }) => text);
const both = (meet: string): readonly string[] => [`"a" and "b" run at the same time and both ${meet}.`];

describe("checkPlan with outlines", () => {
  it("reports no overlap of tasks that name different symbols of one file", () => {
    expect(texts(named("a", "createUser"), named("b", "UserStore.save"))).toEqual([]);
    expect(texts(named("a", "UserStore.load"), named("b", "UserStore.save"))).toEqual([]);
    expect(texts(named("a", "newUser"), named("b", "UserStore.save"))).toEqual([]);
  });

  it("names the symbol that both change, also inside another one, and by part of its name", () => {
    expect(texts(named("a", "createUser"), named("b", "createUser()"))).toEqual(
      both("change createUser in src/api.ts"),
    );
    expect(texts(named("a", "UserStore"), named("b", "UserStore.save"))).toEqual(
      both("change UserStore.save in src/api.ts"),
    );
    expect(texts(named("a", "UserStore::save"), named("b", "save"))).toEqual(
      both("change UserStore.save in src/api.ts"),
    );
    expect(texts(named("a", "UserStore.drop"), named("b", "UserStore"))).toEqual(
      both("change UserStore.drop in src/api.ts"),
    );
  });

  it("names neighbouring lines, and definitions that are added at the same end", () => {
    expect(texts(named("a", "maxUsers"), named("b", "maxNames"))).toEqual(
      both("change neighbouring lines in src/api.ts (maxUsers, maxNames)"),
    );
    expect(texts(named("a", "one"), named("b", "two"))).toEqual(
      both("add to the end of src/api.ts, which merges only if they add in different places"),
    );
    expect(texts(named("a", "UserStore.one"), named("b", "UserStore.two"))).toEqual(
      both("add to the end of UserStore in src/api.ts, which merges only if they add in different places"),
    );
    expect(texts(named("a", "one"), named("b", "UserStore.two"))).toEqual([]);
    expect(texts(named("a", "maxNames"), named("b", "maxRoles"))).toEqual(
      both("change neighbouring lines in src/api.ts (maxNames, maxRoles)"),
    );
  });

  it("infers symbols from exact names in a task's text, and says that it is less certain", () => {
    const a = task("a", { description: "Make `save` atomic. Do not touch `createUser`." });
    expect(texts(a, named("b", "createUser"))).toEqual([]);
    expect(texts(a, task("b", { title: "Log each call of UserStore.save" }))).toEqual(
      both("seem to change UserStore.save in src/api.ts"),
    );
    const add = (id: string, name: string) => task(id, { description: `Add \`${name}\` to src/api.ts.` });
    expect(texts(a, add("b", "renameUser(id)"))).toEqual([]);
    expect(texts(add("a", "removeUser"), add("b", "renameUser(id)"))).toEqual(
      both("seem to add to the end of src/api.ts, which merges only if they add in different places"),
    );
    expect(texts(a, task("b", { description: "Users save more." }))).toEqual(
      both("claim src/api.ts and may change the same lines"),
    );
  });

  it("keeps the rule by file where a file is not parsed, and asks no outline of tasks in order", () => {
    const a = task("a", { files: ["src/api.go"], symbols: ["src/api.go#f"] });
    expect(texts(a, task("b", { files: ["src/*.go"], symbols: ["src/api.go#g"] }))).toEqual(
      both("claim src/api.go"),
    );
    expect(texts(named("a", "save"), { ...named("b", "save"), after: ["a"] })).toEqual([]);
  });

  it("finds symbols under a glob and without a file", () => {
    const wide = task("a", { files: ["src/**"], symbols: ["createUser"] });
    const dotted = { ...named("a", "createUser"), files: ["./src/api.ts"] };
    expect(texts(dotted, named("b", "save"))).toEqual([]);
    expect(texts(wide, named("b", "save"))).toEqual([]);
    expect(texts(wide, named("b", "createUser"))).toEqual(both("change createUser in src/api.ts"));
  });

  it("shows tasks that change one symbol as one problem, apart from others of the file", () => {
    const plan = aPlan({
      tasks: [
        named("a", "save"),
        named("b", "save"),
        named("c", "save", "createUser"),
        named("d", "createUser"),
      ],
    });
    const groups = problemGroups(plan, checkPlan(plan, null, outlines));
    expect(groups.map(({ text, symbols }) => [text, symbols])).toEqual([
      [
        "3 tasks that run at the same time change UserStore.save in src/api.ts: “a”, “b” and “c”.",
        ["UserStore.save"],
      ],
      ["“c” and “d” run at the same time and both change createUser in src/api.ts.", ["createUser"]],
    ]);
  });
});

describe("filesToOutline", () => {
  it("names parsed files that two tasks claim", () => {
    const tasks = [
      task("a", { files: ["src/api.ts", "src/a.ts", "CHANGELOG.md"] }),
      task("b", { files: ["./src/api.ts", "CHANGELOG.md"] }),
    ];
    expect(filesToOutline(tasks)).toEqual(["src/api.ts"]);
    expect(filesToOutline([...tasks, task("c", { files: ["src/"] })])).toEqual(["src/api.ts", "src/a.ts"]);
  });
});

describe("symbolHints", () => {
  it("tells of names that are not there or ambiguous", () => {
    const two = { ...outline, symbols: [...outline.symbols, symbol("Log.save", 40, 41)] };
    expect(symbolHints([named("a", "createUser", "savee", "save")], new Map([["src/api.ts", two]]))).toEqual([
      '"a" names savee in src/api.ts, which is not there now. It is taken for a new symbol.',
      '"a" names save in src/api.ts, which may be UserStore.save, Log.save. All of them count.',
    ]);
  });
});
