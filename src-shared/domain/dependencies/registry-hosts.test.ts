import { expect, test } from "vitest";
import { registryHosts } from "./registry-hosts.ts";
import type { PackageManager } from "./request.ts";

const hostsOf = (
  manager: PackageManager,
  files: Readonly<Record<string, string>>,
  { folder = "", configured = [] as readonly string[], defaults = ["https://usual.example.com/npm/"] } = {},
) =>
  registryHosts(
    manager,
    { paths: Object.keys(files), texts: new Map(Object.entries(files)) },
    folder,
    configured,
    defaults,
  );

test.each<[PackageManager, Readonly<Record<string, string>>, readonly string[]]>([
  ["npm", { ".npmrc": "registry=https://npm.example.com/\n" }, ["npm.example.com"]],
  ["pnpm", { ".npmrc": 'registry = "https://npm.example.com:8443/path"\n' }, ["npm.example.com:8443"]],
  ["yarn", { ".yarnrc": 'registry "https://npm.example.com"\n' }, ["npm.example.com"]],
  [
    "yarn",
    {
      ".yarnrc.yml":
        "npmRegistryServer: https://npm.example.com\nnpmScopes:\n  own:\n    npmRegistryServer: https://own.example.com\n",
    },
    ["npm.example.com", "own.example.com"],
  ],
  [
    "bun",
    {
      "bunfig.toml":
        '[install]\nregistry = { url = "https://npm.example.com", token = "x" }\n[install.scopes]\nown = "https://own.example.com"\n',
    },
    ["npm.example.com", "own.example.com"],
  ],
  [
    "uv",
    {
      "pyproject.toml":
        '[[tool.uv.index]]\nurl = "https://pip.example.com/simple"\ndefault = true\n[[tool.uv.index]]\nurl = "https://own.example.com"\n',
    },
    ["pip.example.com", "own.example.com"],
  ],
  ["pip", { "requirements.txt": "--index-url https://pip.example.com/simple\nflask\n" }, ["pip.example.com"]],
  [
    "cargo",
    {
      ".cargo/config.toml":
        '[source.crates-io]\nreplace-with = "own"\n[source.own]\nregistry = "sparse+https://crates.example.com/index/"\n',
    },
    ["crates.example.com"],
  ],
])("%s uses the registry of its settings: %o", (manager, files, hosts) => {
  expect(hostsOf(manager, files)).toEqual({
    hosts,
    reason: Object.keys(files)[0],
    problems: [],
    areDefault: false,
  });
});

test("a scope's registry is added to the default one, and a token in an address is no host", () => {
  const found = hostsOf("npm", { ".npmrc": "@own:registry=https://user:secret@own.example.com/npm/\n" });
  expect(found.hosts).toEqual(["own.example.com", "usual.example.com"]);
  expect(found.areDefault).toBe(true);
  expect(JSON.stringify(found)).not.toContain("secret");
});

test("without settings the package manager's default applies, and Hox's configuration before all", () => {
  expect(hostsOf("uv", {})).toEqual({
    hosts: ["usual.example.com"],
    reason: "what uv is set to on this machine",
    problems: [],
    areDefault: true,
  });
  expect(hostsOf("cargo", {}, { defaults: [] }).hosts).toEqual([]);
  expect(
    hostsOf("npm", { ".npmrc": "registry=https://npm.example.com\n" }, { configured: ["own.example.com"] }),
  ).toMatchObject({ hosts: ["own.example.com"], reason: "dependencies.hosts of .hox/config.toml" });
});

test("a registry that no sandbox reaches is reported with the reason", () => {
  expect(hostsOf("npm", { ".npmrc": "registry=http://localhost:4873\n" }).problems).toEqual([
    "The registry in .npmrc is on this machine's own loopback, which no sandbox reaches.",
  ]);
  expect(hostsOf("npm", { ".npmrc": "registry=http://127.0.0.1:4873\n" }).problems[0]).toContain("loopback");
  expect(hostsOf("npm", { ".npmrc": "registry=ssh://npm.example.com\n" }).problems[0]).toContain(
    "not by HTTPS",
  );
});
