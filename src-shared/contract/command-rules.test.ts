import { describe, expect, it } from "vitest";
import { peopleRoles } from "../domain/people/role.ts";
import { commandRules, ruleOf } from "./command-rules.ts";
import { type CommandName, commandNames } from "./commands.ts";

describe("commandRules", () => {
  it("names the least role of every command, and of nothing else", () => {
    expect(Object.keys(commandRules).toSorted()).toEqual([...commandNames].toSorted());
    for (const name of commandNames) expect(peopleRoles).toContain(ruleOf(name).least);
  });

  it("writes down what changes something: who only watches does nothing that is written down", () => {
    for (const name of commandNames) if (ruleOf(name).least === "watch") expect(ruleOf(name).did).toBeNull();
  });

  it.each<[CommandName, string]>([
    ["run.pause", "steer"],
    ["queue.move", "steer"],
    ["run.messageWorker", "steer"],
    ["inbox.answer", "approve"],
    ["run.push", "approve"],
    ["run.extendBudget", "approve"],
    ["settings.setKey", "own"],
    ["people.invite", "own"],
    ["start.answerSettings", "own"],
    ["folder.list", "own"],
    ["diagnostics", "own"],
  ])("needs for %s at least %s", (name, role) => {
    expect(ruleOf(name).least).toBe(role);
  });
});
