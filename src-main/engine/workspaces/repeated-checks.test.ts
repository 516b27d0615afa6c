import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import { config, lean, scriptOf, works } from "../testing/merge-request-script.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { done, write } from "../testing/three-agents-script.ts";

const command = "sh check.sh";

/**
 * The files of each fresh checkout that the check ran in, in order. The check of each task's own files ends only when
 * those of all have begun: none of them is merged before.
 */
async function countedRun(
  agents: readonly string[],
  settings = "",
): Promise<{ readonly fixture: Fixture; readonly checked: readonly string[] }> {
  const checked: string[] = [];
  const begun = new Set<string>();
  const allBegun = Promise.withResolvers<void>();
  const counted = (sandbox: Sandbox): Sandbox => ({
    ...sandbox,
    async run(placed) {
      if (placed.command !== command || !placed.workspace.includes("/checkouts/")) return sandbox.run(placed);
      const files = await filesIn(join(placed.workspace, "src"));
      checked.push(files);
      const [first, ...others] = agents.filter((name) => files.includes(`${name}.txt`));
      if (first !== undefined && others.length === 0) {
        begun.add(first);
        if (begun.size === agents.length) allBegun.resolve();
        await allBegun.promise;
      }
      return sandbox.run(placed);
    },
  });
  let root = "";
  const fixture = await createFixture({
    script: scriptOf(
      Object.fromEntries(
        agents.map((name) => [
          name,
          works(write(`src/${name}.txt`, `${name}\n`), done(`${name} is written.`)),
        ]),
      ),
    ),
    files: {
      ...config(`${settings}${lean}`),
      "check.sh": "exit 0\n",
    },
    sandbox: async () => counted(await createSandbox({ allowUnsandboxed: false, repository: root })),
    around: (repository) => {
      ({ root } = repository);
      return repository;
    },
  });
  await fixture.start();
  return { fixture, checked };
}

async function filesIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".txt")).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return names.map((name, index) => `${name}: ${texts[index]?.trim()}`).join("\n");
}

const noticesOf = async (fixture: Fixture, worker: string): Promise<readonly string[]> =>
  (await fixture.execute("run.conversation", { run: fixture.engine.state().run?.id ?? "", worker })).flatMap(
    (row) => (row.kind === "notice" ? [row.text] : []),
  );

describe("checks in a fresh checkout", () => {
  it("run once on the result of a single task", async () => {
    const { fixture, checked } = await countedRun(["agent-1"]);
    const run = await fixture.until(over);
    expect(run.stage).toBe("complete");
    expect(checked).toEqual([expect.stringContaining("agent-1")]);
    const integrator = run.workers.find(({ role }) => role === "integrator");
    expect(integrator?.checks).toMatchObject([{ command, outcome: "passed" }]);
    expect((await noticesOf(fixture, "integrator")).join()).toMatch(
      /Same files as checked at \d{4}-\d\d-\d\d \d\d:\d\d UTC\. The checks did not run again: sh check\.sh passed\./u,
    );
  });

  it("run once on each set of files where two tasks merge one after the other", async () => {
    const { fixture, checked } = await countedRun(["agent-1", "agent-2"]);
    const run = await fixture.until(over);
    expect(run.stage).toBe("complete");
    expect(new Set(checked).size).toBe(checked.length);
    // The contract, each task's own, and both together.
    expect(checked).toHaveLength(4);
  });

  it.each([
    { timeout: 600, runs: 1 },
    { timeout: 601, runs: 2 },
  ])(
    "after a restart with a timeout of $timeout seconds instead of 600: $runs",
    async ({ timeout, runs }) => {
      const { fixture, checked } = await countedRun(
        ["agent-1"],
        'timeout_seconds = 600\n[merge_requests]\nreview = "user"\n',
      );
      const card = await fixture.card("merge-request");
      await fixture.reopen(async () => {
        const file = join(fixture.root, ".hox/config.toml");
        const text = await readFile(file, "utf8");
        await fixture.configure(text.replace("timeout_seconds = 600", `timeout_seconds = ${timeout}`));
        return undefined;
      });
      await fixture.execute("inbox.answer", { ...card, decision: { kind: "approve" } });
      expect(await fixture.until(over)).toMatchObject({ stage: "complete" });
      expect(checked).toHaveLength(runs);
    },
  );
});
