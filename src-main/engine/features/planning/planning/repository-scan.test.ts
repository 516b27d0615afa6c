import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { importersOf, sharedHubs } from "#shared/domain/imports/import-graph.ts";
import { decidedBefore } from "../../../../cli/run/decide.ts";
import { openRepository } from "../../../../jj/open.ts";
import { createTestRepository, type TestRepository } from "../../../../jj/testing/create-test-repository.ts";
import { defineScript } from "../../../../model/stand-in/script.ts";
import { prepareRehearsal } from "../../../../rehearsals/prepare.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { exampleFiles, plan } from "../../../testing/three-agents-script.ts";
import { importMap, scanLimits, scanRepository } from "./repository-scan.ts";

let repo: TestRepository | null = null;
let fixture: Fixture | null = null;
afterEach(async () => {
  await repo?.remove();
  await fixture?.remove();
  repo = fixture = null;
});

it("reads the bundled example with two jj processes, and lists its hubs first (HOX-9.2)", async () => {
  repo = await createTestRepository();
  const folder = join(repo.folder, "example");
  await prepareRehearsal("profiles", folder);
  const example = await openRepository(folder);
  try {
    const before = example.processCount();
    const scan = await scanRepository(example, "main");
    expect(example.processCount() - before).toBeLessThanOrEqual(2);
    expect(scan.coverage.skipped).toBe(0);
    expect(importersOf(scan.graph, "src/http.js")).toEqual(["src/app.js", "src/server.js", "src/users.js"]);
    expect(sharedHubs(scan.graph).slice(0, 2)).toEqual(["src/store.js", "src/app.js"]);
    expect(importMap(scan)[3]).toMatch(/^> - `src\/store\.js` by \d+: /u);
  } finally {
    await example.close();
  }
});

it("respects its limits and lists what it left out; odd names and sizes do no harm", async () => {
  repo = await createTestRepository({
    files: {
      'a "b\n.ts': 'import "./c";',
      "c.ts": 'import "./long";\n',
      "empty.ts": "",
      "long.ts": `import "./c";\n${"// long\n".repeat(2_000)}`,
      "node_modules/x/y.ts": 'import "../../c";',
      "deep/down/last.ts": "import '../../c'",
      "picture.png": "import './c'",
    },
  });
  const { repository } = repo;
  const whole = await scanRepository(repository, "@-");
  expect(Object.fromEntries(whole.graph.importers)).toEqual({
    "c.ts": ['a "b\n.ts', "deep/down/last.ts", "long.ts"],
    "long.ts": ["c.ts"],
  });
  expect(whole.coverage).toEqual({ sources: 5, skipped: 0 });
  const small = await scanRepository(repository, "@-", { ...scanLimits, fileBytes: 1_000 });
  expect([small.graph.files.includes("long.ts"), small.coverage.skipped]).toEqual([false, 1]);
  const few = await scanRepository(repository, "@-", { ...scanLimits, files: 2 });
  expect([few.graph.files, few.coverage.skipped]).toEqual([['a "b\n.ts', "c.ts"], 3]);
  const cut = await scanRepository(repository, "@-", { ...scanLimits, bytes: 200 });
  expect([cut.graph.files.includes("c.ts"), cut.graph.files.includes("long.ts")]).toEqual([true, false]);
  expect((await scanRepository(repository, "@-", { ...scanLimits, ms: 0 })).graph.files).toEqual([]);
  const late = await scanRepository(repository, "@-", { ...scanLimits, parseMs: 0 });
  expect([late.graph.files, late.coverage.skipped]).toEqual([['a "b\n.ts'], 4]);
  await expect(scanRepository(repository, "@-", scanLimits, AbortSignal.abort())).rejects.toThrow();
});

it("shows the map to the planner, and overlapping tasks to the approver, without forbidding them", async () => {
  const meeting = { ...plan, tasks: plan.tasks.map((task) => ({ ...task, files: [`src/${task.id}.py`] })) };
  const scenes = [
    {
      name: "plan",
      prompt: "[EVENT plan]",
      steps: [{ calls: [{ tool: "propose_plan", input: { ...meeting } }] }],
    },
  ];
  fixture = await createFixture({
    script: defineScript({ name: "meeting", routes: { "O-A-1": scenes } }),
    files: {
      ...exampleFiles,
      "src/api.py": "import store",
      "src/store.py": "",
      "src/view.py": "import store",
    },
  });
  fixture.answers = {};
  await fixture.start();
  const card = await fixture.card("plan");
  expect(card.kind === "plan" && card.problems).toEqual([
    expect.stringContaining('src/api.py ("api") imports src/store.py ("store")'),
    expect.stringContaining('src/view.py ("view") imports src/store.py ("store")'),
  ]);
  expect(decidedBefore(card, ["plan"])).toEqual({ kind: "approve" });
  const run = fixture.engine.state().run;
  const rows = JSON.stringify(
    await fixture.execute("run.conversation", { run: run?.id ?? "", worker: "O-A-1" }),
  );
  expect(rows).toContain("## Import map");
  expect(rows).toContain("`src/store.py` by 2: `src/api.py`, `src/view.py`");
});

it("tells the planner once which symbol two tasks change, and shows the user what it proposes all the same", async () => {
  const symbols: Readonly<Record<string, string>> = { api: "Store.save", store: "load", view: "save" };
  const meeting = {
    ...plan,
    tasks: plan.tasks.map((task) => ({
      ...task,
      files: ["src/store.py"],
      symbols: [`src/store.py#${symbols[task.id]}`],
    })),
  };
  const propose = { calls: [{ tool: "propose_plan", input: { ...meeting } }] };
  fixture = await createFixture({
    script: defineScript({
      name: "meeting",
      routes: {
        "O-A-1": [
          { name: "plan", prompt: "[EVENT plan]", steps: [propose] },
          { name: "means it", prompt: "[EVENT plan changed]", steps: [propose] },
        ],
      },
    }),
    files: {
      ...exampleFiles,
      "src/store.py": "class Store:\n    def save(self):\n        return 1\n\n\ndef load():\n    return 2\n",
    },
  });
  fixture.answers = {};
  await fixture.start();
  const card = await fixture.card("plan");
  const meet = '"api" and "view" run at the same time and both change Store.save in src/store.py.';
  expect(card.kind === "plan" && card.problems).toEqual([meet]);
  const run = fixture.engine.state().run?.id ?? "";
  const rows = JSON.stringify(await fixture.execute("run.conversation", { run, worker: "O-A-1" }));
  expect(rows.split("Tasks that run at the same time touch each other:")).toHaveLength(2);
  expect(rows).toContain(JSON.stringify(meet).slice(1, -1));
  const checked = await fixture.execute("plan.check", { run, plan: meeting });
  expect(checked.problems.map(({ text }) => text)).toEqual([meet]);
  expect(Object.keys(checked.outlines)).toEqual(["src/store.py"]);
});
