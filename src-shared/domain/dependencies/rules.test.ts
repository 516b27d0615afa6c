import { expect, test } from "vitest";
import type { DependencyRequest } from "./request.ts";
import { type DependencyRules, parseRule, ruleFor, ruleOf } from "./rules.ts";

const ask = (text: string, manager: DependencyRequest["manager"] = "npm"): DependencyRequest => {
  const [, name = "", version = null] = /^(.+?)(?:\s(.*))?$/u.exec(text) ?? [];
  return { manager, folder: "", name, version: version ?? null, dev: false };
};
const verdict = (request: DependencyRequest, rules: Partial<DependencyRules>) =>
  ruleFor(request, { allow: [], deny: [], otherwise: "ask", ...rules });
const isAllowed = (text: string, allow: string, manager?: DependencyRequest["manager"]): boolean =>
  verdict(ask(text, manager), { allow: [allow] }).kind === "allow";

test("a name, a glob or a range of versions allows only what is inside of it", () => {
  expect(isAllowed("react", "react")).toBe(true);
  expect(isAllowed("react-dom", "react")).toBe(false);
  expect(isAllowed("@types/node", "@types/*")).toBe(true);
  expect(isAllowed("types/node", "@types/*")).toBe(false);
  expect(isAllowed("react 19.1.0", "react@^19")).toBe(true);
  expect(isAllowed("react ^19.1", "react@^19")).toBe(true);
  expect(isAllowed("react >=19", "react@^19")).toBe(false);
  expect(isAllowed("react 20.0.0", "react@^19")).toBe(false);
  expect(isAllowed("react latest", "react@^19")).toBe(false);
  expect(isAllowed("serde 1.0", "serde@1", "cargo")).toBe(true);
  expect(isAllowed("requests 2.32.3", "python:requests@^2", "uv")).toBe(true);
  expect(isAllowed("requests >=2.1,<3", "requests@>=2 <3", "pip")).toBe(true);
  expect(isAllowed("requests ~=2.1", "requests@^2", "pip")).toBe(false);
  expect(isAllowed("example.com/x v1.2.0", "go:example.com/*", "go")).toBe(true);
});

test("the same name in another registry is another package", () => {
  expect(isAllowed("requests", "python:requests", "npm")).toBe(false);
  expect(isAllowed("Zope_Interface", "zope.interface", "uv")).toBe(true);
  expect(isAllowed("serde-json", "serde_json", "cargo")).toBe(true);
});

test("without a version, the range of the rule is installed", () => {
  expect(verdict(ask("react"), { allow: ["react@^19"] })).toEqual({
    kind: "allow",
    rule: "react@^19",
    version: "^19",
  });
  expect(verdict(ask("react"), { allow: ["react@>=18 <20"] })).toEqual({ kind: "ask" });
  expect(verdict(ask("requests", "uv"), { allow: ["requests@^2"] })).toEqual({ kind: "ask" });
});

test("a denied package is denied even if another rule allows it, also with an unknown version", () => {
  const rules = { allow: ["*"], deny: ["left-pad@<1.3"] };
  expect(verdict(ask("left-pad 1.2.0"), rules).kind).toBe("deny");
  expect(verdict(ask("left-pad ^1.0"), rules).kind).toBe("deny");
  expect(verdict(ask("left-pad"), rules).kind).toBe("deny");
  expect(verdict(ask("left-pad 1.3.0"), rules).kind).toBe("allow");
  expect(verdict(ask("other"), { otherwise: "deny" })).toEqual({ kind: "deny", rule: null });
  expect(verdict(ask("other"), {})).toEqual({ kind: "ask" });
});

test('the user\'s "always" covers this package up to the next breaking version', () => {
  expect(ruleOf(ask("left-pad 1.3.0"))).toBe("javascript:left-pad@^1.3.0");
  expect(ruleOf(ask("@types/node"))).toBe("javascript:@types/node");
  expect(ruleOf(ask("react latest"))).toBe("javascript:react");
  expect(ruleOf(ask("httpx[http2] >=0.27", "uv"))).toBe("python:httpx");
  for (const text of ["left-pad 1.3.0", "left-pad ^1.3", "@types/node 24.1.0", "react"]) {
    expect(parseRule(ruleOf(ask(text)))).toHaveProperty("rule");
    expect(isAllowed(text, ruleOf(ask(text)))).toBe(true);
  }
});

test("an error in a rule is reported", () => {
  expect(parseRule("react@nonsense range")).toMatchObject({ mistake: expect.stringContaining("range") });
  expect(parseRule("perl:cpan")).toMatchObject({ mistake: expect.stringContaining("javascript") });
  expect(parseRule("a b")).toMatchObject({ mistake: expect.stringContaining("name") });
  expect(parseRule("")).toMatchObject({ mistake: expect.stringContaining("name") });
});
