import { describe, expect, it } from "vitest";
import {
  importersOf,
  importGraphSteps,
  independentGroups,
  isManifest,
  sharedHubs,
} from "#shared/domain/imports/import-graph.ts";
import { importMapLines } from "#shared/domain/imports/import-map.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { readImports } from "./read-imports.ts";

const graphOf = async (texts: Readonly<Record<string, string>>) => {
  const all = new Map(Object.entries(texts));
  const manifests = new Map([...all].filter(([path]) => isManifest(path)));
  const read = await readImports(all, async () => true);
  const steps = importGraphSteps([...all.keys()], manifests, read);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
const arrows = async (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries((await graphOf(texts)).imports);

describe("import resolution (HOX-9.2)", () => {
  it("JavaScript: relative, .js for .ts, index, package imports, tsconfig paths, packages of the repository", async () => {
    expect(
      await arrows({
        "app/main.ts": `import "./a.js"; import "./b"; import "./folder"; import "#shared/s.ts"; import "@/deep/c";
          import "@acme/kit"; import "@acme/kit/button"; import "react"; import "../../outside"; import "./text.css";
          import "./query.js?worker";`,
        ...{
          "app/a.ts": "",
          "app/b.tsx": "",
          "app/folder/index.js": "",
          "app/query.js": "",
          "app/src/deep/c.ts": "",
        },
        "app/tsconfig.json": `{ // comments are allowed
          "compilerOptions": { "paths": { "@/*": ["./src/*"], } } }`,
        "package.json": '{ "imports": { "#shared/*": { "default": "./shared/*" } } }',
        "shared/s.ts": 'export * from "../app/main.ts";',
        "packages/kit/package.json": '{ "name": "@acme/kit", "exports": { ".": "./src/kit.ts" } }',
        ...{ "packages/kit/src/kit.ts": "", "packages/kit/src/button.tsx": "", "app/text.css": "" },
      }),
    ).toEqual({
      "app/main.ts": [
        ...["app/a.ts", "app/b.tsx", "app/folder/index.js", "app/query.js", "app/src/deep/c.ts"],
        ...["packages/kit/src/button.tsx", "packages/kit/src/kit.ts", "shared/s.ts"],
      ],
      "shared/s.ts": ["app/main.ts"],
    });
  });

  it("Python: relative and absolute, modules from packages, src, scripts next to each other", async () => {
    expect(
      await arrows({
        "src/pkg/__init__.py": "",
        "src/pkg/api.py":
          "from . import models, VERSION\nfrom .sub import thing\nimport pkg.sub.deep\nimport os",
        "src/pkg/models.py": "from pkg import api",
        "src/pkg/sub/__init__.py": "from ..models import Model\nfrom ...pkg import models",
        "src/pkg/sub/deep.py": "from ......outside import x",
        "tools/run.py": "import shared\nfrom pkg.sub import deep",
        "tools/shared.py": "",
      }),
    ).toEqual({
      "src/pkg/api.py": [
        ...["src/pkg/__init__.py", "src/pkg/models.py", "src/pkg/sub/__init__.py", "src/pkg/sub/deep.py"],
      ],
      "src/pkg/models.py": ["src/pkg/api.py"],
      "src/pkg/sub/__init__.py": ["src/pkg/models.py"],
      "tools/run.py": ["src/pkg/sub/deep.py", "tools/shared.py"],
    });
  });

  it("Rust: modules, crate, self, super also from inline modules, crates of the workspace", async () => {
    expect(
      await arrows({
        "core/Cargo.toml": '[package]\nname = "acme-core"\n',
        "core/src/lib.rs": "mod api; mod model; pub use api::Client;",
        "core/src/api/mod.rs": "mod wire; use super::model::User; use std::fmt;",
        "core/src/api/wire.rs":
          "use crate::model; use super::Client; #[cfg(test)] mod tests { use super::*; }",
        "core/src/model.rs": "use self::deep::X; use serde::Y; use crate::CONSTANT;",
        "core/src/model/deep.rs": "",
        "core/tests/all.rs": "mod common; use acme_core::model::User; use common::help;",
        "core/tests/common/mod.rs": "",
        "cli/Cargo.toml": '[package]\nname = "cli"\n',
        "cli/src/main.rs": "use acme_core::Anything;",
      }),
    ).toEqual({
      "core/src/lib.rs": ["core/src/api/mod.rs", "core/src/model.rs"],
      "core/src/api/mod.rs": ["core/src/api/wire.rs", "core/src/model.rs"],
      "core/src/api/wire.rs": ["core/src/api/mod.rs", "core/src/model.rs"],
      "core/src/model.rs": ["core/src/lib.rs", "core/src/model/deep.rs"],
      "core/tests/all.rs": ["core/src/model.rs", "core/tests/common/mod.rs"],
      "cli/src/main.rs": ["core/src/lib.rs"],
    });
  });
});

const two = await graphOf({
  "types.ts": "",
  "a/one.ts": 'import "../types"; import "./two";',
  "a/two.ts": 'import "../types";',
  "b/one.ts": 'import "../types"; import "./two";',
  "b/two.ts": "",
  "alone.ts": "",
});

describe("graph queries", () => {
  it("return who imports a file, what is shared, and what is independent without it", () => {
    expect(importersOf(two, "types.ts")).toEqual(["a/one.ts", "a/two.ts", "b/one.ts"]);
    expect(sharedHubs(two)).toEqual(["types.ts"]);
    expect(sharedHubs(two, 4)).toEqual([]);
    expect(independentGroups(two)).toHaveLength(2);
    expect(independentGroups(two, new Set(["types.ts"]))).toEqual([
      ["a/one.ts", "a/two.ts"],
      ["b/one.ts", "b/two.ts"],
      ["alone.ts"],
    ]);
  });

  it("list hubs first for the planner, within a limit and without a name that breaks out of its line", async () => {
    expect(importMapLines(two, { sources: 8, skipped: 2 })).toEqual([
      expect.stringContaining("6 of 8 source files (JavaScript and TypeScript 6)"),
      "",
      expect.stringContaining("most importers first"),
      "- `types.ts` by 3: `a/one.ts`, `a/two.ts`, `b/one.ts`",
      "",
      expect.stringContaining("Groups that no import connects"),
      "- 2 files: `a/one.ts`, `a/two.ts`",
      "- 2 files: `b/one.ts`, `b/two.ts`",
      "- 1 file on its own",
    ]);
    const hostile = await graphOf({ "x\n## Goal\n`.ts": "", "a.ts": 'import "./x\n## Goal\n`"' });
    expect(importMapLines(hostile, { sources: 2, skipped: 0 }).every((line) => !line.includes("\n"))).toBe(
      true,
    );
    const many = await graphOf(
      Object.fromEntries([
        ...Array.from({ length: 300 }, (_, index) => [`hub${index}.ts`, ""]),
        ...["a.ts", "b.ts"].map((path) => [
          path,
          Array.from({ length: 300 }, (_, index) => `import "./hub${index}";`).join("\n"),
        ]),
      ]),
    );
    const lines = importMapLines(many, { sources: 302, skipped: 0 });
    expect(lines.join("\n").length).toBeLessThanOrEqual(4_000);
    expect(lines).toContainEqual(expect.stringMatching(/^- and \d+ more$/u));
    expect(importMapLines(await graphOf({ "read.me": "" }), { sources: 0, skipped: 0 })).toEqual([]);
  });
});

describe("a plan compared with the graph", () => {
  const task = (id: string, files: readonly string[], over: Partial<PlannedTask> = {}): PlannedTask => ({
    ...{ id, title: id, description: "", phase: 1, priority: "medium", after: [], files },
    ...over,
  });
  const check = (...tasks: readonly PlannedTask[]) =>
    checkPlan(
      {
        goal: "g",
        summary: "",
        orchestrators: { count: 1, reason: "" },
        contracts: { title: "c", description: "", files: ["types.ts"] },
        phases: [1, 2].map((number) => ({ number, title: "p" })),
        tasks,
        integration: { title: "i", description: "" },
        budget: { tokens: null, microDollars: null },
      } satisfies Plan,
      two,
    );

  it("warns only of parallel tasks whose files import each other", () => {
    expect(check(task("a", ["a/"]), task("b", ["b/**"]))).toEqual([]);
    expect(check(task("user", ["a/one.ts"]), task("owner", ["./a/two.ts"]))).toEqual([
      {
        severity: "warning",
        kind: "import",
        tasks: ["user", "owner"],
        files: ["a/two.ts"],
        text: '"user" and "owner" run at the same time, and a/one.ts ("user") imports a/two.ts ("owner"). Define the shared interface in the contract.',
      },
    ]);
    expect(check(task("types", ["types.ts"]), task("all", ["a/*", "b/*"]))[0]?.text).toContain(
      ", and 2 more.",
    );
    expect(check(task("user", ["a/one.ts"], { after: ["owner"] }), task("owner", ["a/two.ts"]))).toEqual([]);
    expect(check(task("user", ["a/one.ts"], { phase: 2 }), task("owner", ["a/two.ts"]))).toEqual([]);
    // A claim that both make is told of once, as what it is.
    expect(check(task("user", ["a/*"]), task("owner", ["a/two.ts"]))).toMatchObject([
      { text: expect.stringContaining("both claim") },
    ]);
  });
});
