import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import { sharedHistoryFolder } from "../../../../jj/git/git-view.ts";
import { createSandbox } from "../../../../tools/sandbox/sandbox.ts";
import { type PackageRegistry, startPackageRegistry } from "../../../testing/package-registry.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import {
  calmAgents,
  done,
  exampleFiles,
  plan,
  rewrite,
  write,
} from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
let registry: PackageRegistry | null = null;
afterEach(async () => {
  await fixture?.remove();
  await registry?.close();
  fixture = null;
  registry = null;
});

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
const command = (text: string) => call("run_command", { command: text });
const asked = "## Dependencies that you asked for";

const manifest = (version: string) =>
  `${JSON.stringify({ name: "example", version, private: true, scripts: { start: "node ." } }, null, 2)}\n`;
const lock = {
  name: "example",
  version: "1.0.0",
  lockfileVersion: 3,
  requires: true,
  packages: { "": { name: "example", version: "1.0.0" } },
};

test("a requested package is installed for all agents once the user or a rule allows it", {
  tags: ["long"],
  timeout: 400_000,
}, async () => {
  registry = await startPackageRegistry({
    "tiny-pad@1.2.0": {
      "index.js": 'module.exports = (text) => text.padStart(3, "-");\n',
      "package.json": JSON.stringify({ scripts: { postinstall: "touch ran" } }),
    },
  });
  let release: () => void = () => undefined;
  registry.hold = new Promise((resolve) => {
    release = resolve;
  });
  const { network, url } = registry;
  fixture = await createFixture({
    files: {
      ...exampleFiles,
      ".gitignore": "node_modules\n",
      ".npmrc": `registry=${url}\n`,
      "package.json": manifest("1.0.0"),
      "package-lock.json": `${JSON.stringify(lock, null, 2)}\n`,
      // Red wherever the packages that the manifest names are not there.
      "check.mjs":
        'import { readFileSync } from "node:fs";\nimport { createRequire } from "node:module";\n' +
        'const { dependencies = {} } = JSON.parse(readFileSync("package.json", "utf8"));\n' +
        "for (const name of Object.keys(dependencies)) createRequire(import.meta.url)(name);\n",
      ".hox/config.toml":
        '[backpressure]\nfast_checks = ["sh check.sh", "node check.mjs"]\nslow_checks = []\npreflight = "off"\n' +
        '[dependencies]\nallow = ["no-such-*"]\ndeny = ["left-pad"]\n' +
        '[merge_requests]\nreview = "none"\nstalled_iterations = 1000\n[loop_defaults]\nmax_iterations = 1000\n' +
        '[workflow]\ncontracts = "off"\npanel = "off"\nlearning = "off"\n',
    },
    workflow: "auto",
    sandbox: () =>
      createSandbox({
        allowUnsandboxed: false,
        repository: fixture?.root ?? "",
        readable: [sharedHistoryFolder(join(fixture?.repo.folder ?? "", "state"))],
        network,
      }),
    script: {
      ...calmAgents,
      routes: {
        ...calmAgents.routes,
        "O-A-1": [
          {
            name: "plans",
            prompt: /^\[EVENT plan\]/,
            steps: [call("propose_plan", { ...plan, tasks: plan.tasks.slice(0, 2) })],
          },
          ...(calmAgents.routes["O-A-1"] ?? []),
        ],
        "agent-1": [
          {
            name: "asks",
            prompt: (seen) => !seen.prompt.includes(asked),
            steps: [
              call("request_dependency", {
                name: "tiny-pad",
                version: "^1.2.0",
                why: "Pads what the store keeps.",
              }),
            ],
          },
          {
            name: "has it",
            prompt: asked,
            steps: [
              command(
                "mkdir -p src; (node -e \"console.log(require('tiny-pad')('x'))\"; ls node_modules/tiny-pad) > src/store.txt",
              ),
              done("Padded."),
            ],
          },
        ],
        "agent-2": [
          {
            name: "is at the same file, and asks for what nobody may have",
            prompt: (seen) => !seen.prompt.includes(asked),
            steps: [
              ...rewrite("package.json", manifest("1.1.0")),
              call("request_dependency", { name: "--registry=http://evil.example", why: "?" }),
              call("request_dependency", { name: "left-pad", why: "Pads." }),
            ],
          },
          {
            name: "asks again, and for what is not there",
            prompt: (seen) => seen.prompt.includes(asked) && !seen.prompt.includes("no-such-thing"),
            steps: [
              call("request_dependency", { name: "left-pad", why: "Pads." }),
              call("request_dependency", { name: "no-such-thing", why: "It was in a blog." }),
            ],
          },
          {
            name: "is not done yet",
            prompt: (seen) => seen.prompt.includes("no-such-thing") && !seen.prompt.includes("Add tiny-pad"),
            steps: [command("sleep 1"), write("src/api.txt", "BROKEN\n"), done("Another try.")],
          },
          {
            name: "inherits what another one asked for",
            prompt: (seen) => seen.prompt.includes("no-such-thing") && seen.prompt.includes("Add tiny-pad"),
            steps: [
              command("mkdir -p src; node -e \"console.log(require('tiny-pad')('y'))\" > src/api.txt"),
              done("Inherited."),
            ],
          },
        ],
      },
    },
  });
  const one = fixture;
  const cards = new Map<string, InboxItem>();
  one.answers = {
    ...agreeable,
    protected: (item) => {
      cards.set(item.id, item);
      return { kind: "approve" };
    },
    dependency: (item) => {
      cards.set(item.id, item);
      return { kind: "approve" };
    },
  };
  const id = await one.start();
  // The process ends in the middle of the installation, after the yes.
  await expect
    .poll(() => registry?.asked.some((path) => path.endsWith(".tgz")), { timeout: 200_000 })
    .toBe(true);
  await one.reopen(async () => {
    expect(
      await one.repo.terminal(["log", "--no-graph", "-r", 'description("Add tiny-pad")', "-T", '"x"']),
    ).toBe("");
    release();
  });
  const run = await one.until(over);
  expect(run.stage).toBe("complete");

  expect([...cards.values()]).toEqual([
    expect.objectContaining({
      kind: "dependency",
      from: "agent-1",
      name: "tiny-pad",
      version: "^1.2.0",
      manager: "npm",
      why: "Pads what the store keeps.",
      command: "npm install --ignore-scripts --no-audit --no-fund --save-prod 'tiny-pad@^1.2.0'",
      hosts: ["registry.hox.example"],
      hostsFrom: ".npmrc",
      files: ["package.json", "package-lock.json"],
      rule: "javascript:tiny-pad@^1.2.0",
    }),
  ]);
  const landed = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  expect(JSON.parse(await landed("package.json"))).toMatchObject({
    version: "1.1.0",
    dependencies: { "tiny-pad": "^1.2.0" },
  });
  expect(JSON.parse(await landed("package-lock.json")).packages).toHaveProperty(["node_modules/tiny-pad"]);
  expect(await landed("src/store.txt")).toBe("--x\nindex.js\npackage.json");
  expect(await landed("src/api.txt")).toBe("--y");
  const files = (await one.repo.terminal(["file", "list", "-r", "main"])).split("\n");
  expect(files.filter((path) => path.startsWith("node_modules"))).toEqual([]);
  expect(existsSync(join(one.root, "node_modules"))).toBe(false);

  const conversation = JSON.stringify(await one.execute("run.conversation", { run: id, worker: "agent-2" }));
  expect(conversation).toContain("That is no name of a package of npm");
  expect(conversation).toContain("left-pad was asked for and refused");
  expect(conversation).toMatch(
    /no-such-thing: not installed\. `npm install[^`]*` ended with exit code 1:[\s\S]*404/u,
  );
  expect(existsSync(join(one.repo.folder, "state", "packages", id))).toBe(false);
});
