import { expect, test } from "vitest";
import {
  type DependencyRequest,
  type DependencyRules,
  type PackageManager,
  parseRule,
  requestProblem,
  ruleFor,
  ruleOf,
} from "./request.ts";

const problem = (manager: PackageManager, name: string, version: string | null = null) =>
  requestProblem(manager, { name, version });

test.each([
  ["npm", "left-pad", "1.3.0"],
  ["npm", "@types/node", "^24.1"],
  ["pnpm", "JSONStream", null],
  ["yarn", "react", "latest"],
  ["bun", "vite", ">=7.0.0-beta.1"],
  ["uv", "requests", "2.32.3"],
  ["pip", "httpx[http2,socks]", ">=0.27,<1"],
  ["poetry", "zope.interface", "~=7.0"],
  ["cargo", "serde_json", "1.0"],
  ["cargo", "tokio", "=1.40.0"],
  ["go", "golang.org/x/sync", "v0.7.0"],
  ["go", "github.com/BurntSushi/toml", "latest"],
] as const)("%s accepts %s %s", (manager, name, version) => {
  expect(problem(manager, name, version)).toBeNull();
});

/** What a command line, a shell or a package manager would take for something else than a name. */
const tricks = [
  "",
  "-g",
  "--registry=http://evil.example",
  "--",
  ".",
  "..",
  "./local",
  "../local",
  "/etc/passwd",
  "~/folder",
  "a b",
  "a;b",
  "a$(touch x)",
  "a`touch x`",
  "a'b",
  'a"b',
  "a\nb",
  "a\0b",
  "a|b",
  "a&b",
  "a>b",
  "a#b",
  "a\\b",
  "http://evil.example/a.tgz",
  "git+ssh://git@evil.example/a",
  "file:../a",
  "evil.tgz",
  "evil.TAR.GZ",
  "evil.tar",
  "evil.whl",
  "evil.zip",
  "@scope/evil.tgz",
  "~evil",
  "npm:other@1",
  "user/repo",
  "@scope",
  "@scope/",
  "@scope/../x",
  "a/../../b",
  "a@1.0.0",
  "évil",
  "a".repeat(300),
];

test.each(["npm", "pnpm", "yarn", "bun", "uv", "poetry", "pip", "cargo", "go"] as const)(
  "%s accepts no option, path, address or shell syntax",
  (manager) => {
    for (const trick of tricks) {
      // A module of Go is named by its host.
      expect(problem(manager, trick), `name ${JSON.stringify(trick)}`).not.toBeNull();
      const plain = manager === "go" ? "example.com/plain" : "plain";
      expect(problem(manager, plain, trick), `version ${JSON.stringify(trick)}`).not.toBeNull();
    }
  },
);

test("a version that npm would take for a file or another package is refused", () => {
  for (const version of ["a.tgz", "1.0.0.tgz", "npm:other", "workspace:*", "*", "1 || 2", "link:x"])
    expect(problem("npm", "plain", version), version).not.toBeNull();
});

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
