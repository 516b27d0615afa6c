import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sharedHistoryFolder } from "../../jj/git/git-view.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { type PackageRegistry, startPackageRegistry } from "../testing/package-registry.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents, done, exampleFiles, plan } from "../testing/three-agents-script.ts";
import { openWorkerMachines } from "../testing/worker-machines.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
const asked = "## Dependencies that you asked for";
const manifest = { name: "example", version: "1.0.0", private: true };
const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { "": manifest } };

/** The proxy of the worker's machine, which leads to the registry by whatever name. */
async function startProxy({ network }: PackageRegistry): Promise<string> {
  const proxy = createServer();
  proxy.on("connect", (_, client) => {
    const server = network.dial?.("", 0);
    if (server === undefined) throw new Error("The registry cannot be dialled.");
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    client.pipe(server).pipe(client);
    client.on("error", () => server.destroy()).on("close", () => server.destroy());
    server.on("error", () => client.destroy()).on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test("a package that an agent on a worker asks for is installed there, in its place and in checkouts for checks", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const registry = await startPackageRegistry({
    "tiny-pad@1.2.0": { "index.js": 'module.exports = (text) => text.padStart(3, "-");\n' },
  });
  onTestFinished(() => registry.close());
  const machines = await openWorkerMachines();
  onTestFinished(() => machines.close());
  await machines.start("box", null, { environment: { HTTP_PROXY: await startProxy(registry) } });
  const { network, url } = registry;
  const fixture: Fixture = await createFixture({
    places: machines.connected,
    files: {
      ...exampleFiles,
      ".gitignore": "node_modules\n",
      ".npmrc": `registry=${url}\n`,
      "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
      "package-lock.json": `${JSON.stringify(lock, null, 2)}\n`,
      "check.mjs":
        'import { readFileSync } from "node:fs";\nimport { createRequire } from "node:module";\n' +
        'const { dependencies = {} } = JSON.parse(readFileSync("package.json", "utf8"));\n' +
        "for (const name of Object.keys(dependencies)) createRequire(import.meta.url)(name);\n",
      ".hox/config.toml":
        '[backpressure]\nfast_checks = ["sh check.sh", "node check.mjs"]\nslow_checks = []\npreflight = "off"\n' +
        '[merge_requests]\nreview = "none"\n[workflow]\ncontracts = "off"\npanel = "off"\nlearning = "off"\n',
    },
    workflow: "auto",
    sandbox: () =>
      createSandbox({
        allowUnsandboxed: false,
        repository: fixture.root,
        readable: [sharedHistoryFolder(join(fixture.repo.folder, "state"))],
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
            steps: [call("request_dependency", { name: "tiny-pad", version: "^1.2.0", why: "Pads." })],
          },
          {
            name: "has it",
            prompt: asked,
            steps: [
              call("run_command", {
                command: "mkdir -p src; node -e \"console.log(require('tiny-pad')('x'))\" > src/store.txt",
              }),
              done("Padded."),
            ],
          },
        ],
      },
    },
  });
  fixture.answers = { ...agreeable, dependency: () => ({ kind: "approve" }) };
  const id = await fixture.start({ on: "test" });
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  const conversation = JSON.stringify(
    await fixture.execute("run.conversation", { run: id, worker: "agent-1" }),
  );
  expect(conversation).toContain("Works on worker box.");
  expect(conversation).not.toContain("Setup command failed");
  const landed = (path: string) => fixture.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await landed("src/store.txt")).toBe("--x");
  expect(JSON.parse(await landed("package.json"))).toEqual({
    ...manifest,
    dependencies: { "tiny-pad": "^1.2.0" },
  });
  const archives = registry.asked.filter((path) => path.endsWith(".tgz"));
  expect(archives.length, "once on the host, and then on the worker").toBeGreaterThan(1);
});
