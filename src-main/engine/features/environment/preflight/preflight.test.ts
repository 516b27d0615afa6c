import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import { withDefaultConfig } from "../../../testing/default-config.ts";
import { onView } from "../../../testing/read-run.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { calmAgents } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const testFile = (name: string, body: string): string =>
  `import assert from "node:assert";\nimport { test } from "node:test";\nimport { existsSync, readdirSync, readFileSync } from "node:fs";\ntest("${name}", () => {\n${body}\n});\n`;

/** A project with one test that was red before anybody came, one that a plan can break, and a linter that is not there. */
const files = {
  "readme.md": "# Example\n",
  "package.json": JSON.stringify({ name: "example", scripts: { test: "node --test" } }),
  "pyproject.toml": "[tool.ruff]\n",
  "test/old.test.mjs": testFile("old red", "  assert.equal(1, 2);"),
  "test/broken.test.mjs": testFile(
    "nothing is broken",
    '  for (const name of existsSync("src") ? readdirSync("src") : []) assert.ok(!readFileSync("src/" + name, "utf8").includes("BROKEN"));',
  ),
};

type Card = Extract<InboxItem, { kind: "preflight" }>;

test("a test that failed before is reported and asked about once and blocks no work; a regression does", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ files, script: calmAgents, workflow: "one-judge" });
  const one = fixture;
  const { preflight: _, ...others } = one.answers;
  one.answers = others;
  const doings = new Set<string>();
  onView(one.engine, ({ workers }) => {
    for (const { activity } of workers) doings.add(activity);
  });

  const first = await one.start();
  const card = (await one.card("preflight")) as Card;
  expect([...doings]).toContain("preflight: reading the project");
  // Nothing but the plan was begun.
  const isAboutPlan = one.standIn.requests().map(({ seen }) => seen.prompt.startsWith("[EVENT plan]"));
  expect(isAboutPlan).not.toContain(false);
  expect(card).toMatchObject({
    troubles: ["red"],
    facts: ["Python, JavaScript with pip, npm"],
    checks: [
      { name: "ruff", outcome: "missing", remedy: expect.stringContaining("Install ruff") },
      { name: "test", command: "npm run --silent test", outcome: "failed", failureCount: 1 },
    ],
    proposed: { fast: [], slow: [{ command: "npm run --silent test", everyNIterations: 2 }] },
  });
  expect(card.checks[1]?.failures).toEqual([expect.stringContaining("old red")]);
  await expect(
    one.execute("inbox.answer", {
      ...card,
      decision: { kind: "leave-out", commands: ["make test"] },
    }),
  ).rejects.toThrow("not a check of this project");
  await one.execute("inbox.answer", { ...card, decision: { kind: "reject", reason: "" } });
  expect((await one.until(over)).stage).toBe("stopped");

  // The same commit a second time: what ran is known, and only what was missing is looked for again.
  const second = await one.start();
  expect(second).not.toBe(first);
  const again = (await one.card("preflight")) as Card;
  expect(again.checks).toEqual(card.checks);
  await one.reopen();
  const kept = (await one.card("preflight")) as Card;
  expect(kept.nonce).toBe(again.nonce);
  await one.execute("inbox.answer", { ...kept, decision: { kind: "approve", writeChecks: true } });
  const land = (await (async () => {
    one.answers = { ...one.answers, land: () => null };
    return one.card("land");
  })()) as Extract<InboxItem, { kind: "land" }>;
  expect(land).toMatchObject({ isUnchecked: false, baselineFailures: ["test"] });
  await one.execute("inbox.answer", { ...land, decision: { kind: "approve", bookmark: "main" } });
  const run = await one.until(over);
  expect([run.stage, run.landed?.bookmark]).toEqual(["complete", "main"]);
  // What stood there stays as it was.
  const before = withDefaultConfig({}, "one-judge")[".hox/config.toml"];
  expect(await readFile(join(one.root, ".hox/config.toml"), "utf8")).toBe(
    `${before}\n[backpressure]\nfast_checks = []\nslow_checks = [{ command = "npm run --silent test", every_n_iterations = 2 }]\n`,
  );

  // What broke it was sent back by name, once; the old failure cost nobody an iteration.
  const checksOf = async (worker: string) =>
    (await one.execute("run.conversation", { run: second, worker })).flatMap((row) =>
      row.kind === "checks" ? row.results : [],
    );
  const checks = await checksOf("agent-3");
  expect(checks[0]).toMatchObject({ name: "test", outcome: "failed" });
  expect(checks[0]?.output).toMatch(
    /^New, and yours to repair: .*nothing is broken\. Another 1 failed before the run began/u,
  );
  expect(checks.at(-1)).toMatchObject({ outcome: "known-failure" });
  // Who finishes last resolves a conflict, and that may be anyone: iterations do not count.
  const failed = ["agent-1", "agent-2", "agent-3"].map(async (name) =>
    (await checksOf(name)).filter(({ outcome }) => outcome === "failed"),
  );
  expect((await Promise.all(failed)).map(({ length }) => length)).toEqual([0, 0, 1]);
  expect(run.validation?.checks).toMatchObject([{ outcome: "known-failure" }]);
  const prompts = (await one.execute("run.conversation", { run: second, worker: "agent-1" })).flatMap(
    (row) => (row.kind === "prompt" ? [row.text] : []),
  );
  expect(sectionOf(prompts[0] ?? "", "Failing before the run")).toContain("old red");
  expect(run.preflight?.lines.join("\n")).toContain("test  npm run --silent test: failed");
});
