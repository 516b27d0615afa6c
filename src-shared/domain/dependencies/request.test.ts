import { expect, test } from "vitest";
import { type PackageManager, requestProblem } from "./request.ts";

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
