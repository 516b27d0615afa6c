import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** What it prints; both programs end with an error code when they have found something. */
const runNode = (args: readonly string[], cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 1e8 }, (_error, stdout, stderr) =>
      stdout === "" && stderr !== "" ? reject(new Error(stderr)) : resolve(stdout),
    );
  });

describe("dependencies between layers", () => {
  const clean: Readonly<Record<string, string>> = {
    "src-shared/domain/task.ts": "export const task = 1;\n",
    "src-shared/graph/change.ts": 'export { task } from "../domain/task.ts";\n',
    "src-shared/contract/contract.ts": 'export { task } from "../graph/change.ts";\n',
    "src-main/config/config.ts": 'export { task } from "#shared/domain/task.ts";\n',
    "src-main/jj/process/process.ts": 'import { execa } from "execa";\nexport const start = execa;\n',
    "src-main/agent/loop.ts": 'export { task } from "../config/config.ts";\n',
    "src-main/agent/agent-interface.ts": "export interface Agent { readonly id: string }\n",
    "src-main/engine/features/agents/mail/feature.ts": "export const mail = 1;\n",
    "src-main/engine/features.ts": 'export { mail } from "./features/agents/mail/feature.ts";\n',
    "src-main/engine/run.ts":
      'export { start } from "../jj/process/process.ts";\nexport { task } from "../agent/loop.ts";\n',
    "src-main/tools/workspace-files.ts": "export const files = 1;\n",
    "src-main/engine/workspaces/local-checkout.ts":
      'export { existsSync } from "node:fs";\nexport { files } from "../../tools/workspace-files.ts";\n',
    "src-main/checks/check-runner.ts":
      'import type { Agent } from "../agent/agent-interface.ts";\nexport type Runner = Agent;\n',
    "src-main/api/router.ts": 'export { start } from "../engine/run.ts";\n',
    "src-main/host.ts": 'export { start } from "./api/router.ts";\n',
    "src-main/electron/main.ts":
      'import { app } from "electron";\nexport { start } from "../host.ts";\nexport { app };\n',
    "build/setup/set-up.mjs": "export const setUp = 1;\n",
    "src-renderer/graph/canvas.tsx": 'export { ReactFlow } from "@xyflow/react";\n',
    "src-renderer/main.tsx": 'export { task } from "#shared/contract/contract.ts";\n',
    "src-renderer/app/shell.ts": "export const shell = 1;\n",
  };

  /** One violation each: the file that does it, what it does, the rule that must refuse it. */
  const planted: readonly (readonly [file: string, text: string, rule: string])[] = [
    ["src-renderer/panel.ts", 'import "../src-main/api/router.ts";', "renderer-only-shared"],
    ["src-renderer/disk.ts", 'import "node:fs";', "renderer-without-node"],
    ["src-renderer/queue/flow.ts", 'import "@xyflow/react";', "react-flow-in-graph-only"],
    ["src-renderer/kit/up.ts", 'import "../graph/canvas.tsx";', "window-ground-knows-no-feature"],
    ["src-renderer/features/up.ts", 'import "../app/shell.ts";', "window-features-know-no-window"],
    ["src-shared/domain/disk.ts", 'import "node:fs";', "shared-without-node"],
    ["src-shared/domain/host.ts", 'import "../../src-main/jj/process/process.ts";', "shared-is-pure"],
    ["src-shared/domain/wire.ts", 'import "../contract/contract.ts";', "domain-knows-no-one"],
    ["src-shared/graph/wire.ts", 'import "../contract/contract.ts";', "graph-knows-no-contract"],
    ["src-main/api/window.ts", 'import "../../src-renderer/main.tsx";', "main-without-renderer"],
    ["src-main/config/setup.ts", 'import "../../build/setup/set-up.mjs";', "main-without-build"],
    ["src-main/api/dialog.ts", 'import "electron";', "electron-in-its-folder-only"],
    ["src-main/engine/shell.ts", 'import "node:child_process";', "programs-started-in-few-places"],
    ["src-main/agent/jj.ts", 'import "execa";', "programs-started-in-few-places"],
    ["src-main/engine/model.ts", 'import "@anthropic-ai/sdk";', "sdk-in-model-only"],
    [
      "src-main/external-agents/types.ts",
      'import "@agentclientprotocol/sdk/unstable";',
      "acp-in-the-runner-only",
    ],
    ["src-main/external-agents/runner/up.ts", 'import "../../config/config.ts";', "runner-alone"],
    ["src-main/external-agents/up.ts", 'import "../engine/run.ts";', "arrow-external-agents"],
    [
      "src-main/engine/run/know.ts",
      'import "../features/agents/mail/feature.ts";',
      "capabilities-by-the-list-alone",
    ],
    ["src-main/engine/merging/read.ts", 'import "node:fs/promises";', "engine-without-paths"],
    ["src-main/engine/merging/join.ts", 'import "node:path";', "engine-without-paths"],
    ["src-main/engine/merging/place.ts", 'import "../workspaces/local-checkout.ts";', "folders-of-handles"],
    ["src-main/engine/merging/files.ts", 'import "../../tools/workspace-files.ts";', "folders-of-handles"],
    ["src-main/forge/up.ts", 'import "../jj/process/process.ts";', "arrow-forge"],
    ["src-main/forge/gitlab.ts", 'import "@octokit/core";', "octokit-in-github-only"],
    ["src-main/jj/up.ts", 'import "../engine/run.ts";', "arrow-jj"],
    ["src-main/agent/writes.ts", 'import "../jj/process/process.ts";', "arrow-agent"],
    ["src-main/engine/up.ts", 'import "../api/router.ts";', "arrow-engine"],
    ["src-main/transport/down.ts", 'import "../jj/process/process.ts";', "arrow-transport"],
    ["src-main/electron/past.ts", 'import "../engine/run.ts";', "arrow-electron"],
    ["src-main/api/whole.ts", 'import "../host.ts";', "only-shells-use-the-composition"],
    ["src-main/jj/ring.ts", 'import "./round.ts";', "no-cycles"],
    ["src-main/jj/lost.ts", 'import "./nowhere.ts";', "resolvable"],
    ["src-main/jj/bare.ts", 'import "./process/process";', "resolvable"],
  ];

  let folder: string;
  let violations: readonly { readonly from: string; readonly rule: string }[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "hox-layers-"));
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"), "junction");
    for (const file of ["package.json", "build/dependency-cruiser.cjs"]) {
      cpSync(join(project, file), join(folder, file));
    }
    write(folder, clean);
    write(folder, { "src-main/jj/round.ts": 'import "./ring.ts";\n' });
    write(folder, Object.fromEntries(planted.map(([file, text]) => [file, `${text}\n`])));
    const program = join(project, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
    const output = await runNode(
      [
        program,
        ...["--config", "build/dependency-cruiser.cjs", "--output-type", "json"],
        ...["src-shared", "src-main", "src-renderer"],
      ],
      folder,
    );
    const { summary } = JSON.parse(output) as {
      summary: { violations: readonly { from: string; rule: { name: string } }[] };
    };
    violations = summary.violations.map(({ from, rule }) => ({ from, rule: rule.name }));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(planted)("%s with `%s` is refused by %s", (file, _text, rule) => {
    expect(violations).toContainEqual({ from: file, rule });
  });

  it("accepts everything else", () => {
    const allowed = violations.filter(({ from }) => from in clean);
    expect(allowed).toEqual([]);
  });
});

describe("dependency cycles", () => {
  const planted: Readonly<Record<string, string>> = {
    // Of types alone, through a third: what one import in a row of them says is not enough.
    "src-main/jj/reader.ts":
      'import type { Writer } from "./writer.ts";\nexport interface Reader { w: Writer }\n',
    "src-main/jj/writer.ts":
      'import type { Queue } from "./queue.ts";\nexport interface Writer { q: Queue }\n',
    "src-main/jj/queue.ts":
      'import type { Reader } from "./reader.ts";\nexport interface Queue { r: Reader }\n',
    // Folders that need each other, and no file that does.
    "src-main/engine/run/run.ts":
      'export { mergeRequest } from "../merging/mergeRequest.ts";\nexport const run = 1;\n',
    "src-main/engine/merging/mergeRequest.ts": "export const mergeRequest = 1;\n",
    "src-main/engine/merging/merge.ts": 'export { run } from "../run/run.ts";\n',
    // Capabilities in a circle, through a third and of types too; each but one may import the next.
    "src-main/engine/features/agents/mail/feature.ts":
      'export { undo } from "../../steering/undo/undo.ts";\nexport const mail = 1;\n',
    "src-main/engine/features/steering/undo/undo.ts":
      'export type { Queued } from "../queue/feature.ts";\nexport const undo = 1;\n',
    "src-main/engine/features/steering/queue/feature.ts":
      'import type { Address } from "../../agents/mail/address.ts";\nexport type Queued = Address;\n',
    "src-main/engine/features/agents/mail/address.ts": "export type Address = 1;\n",
    "src-renderer/graph/canvas.ts": 'export { dialog } from "../features/run/dialog.ts";\n',
    "src-renderer/features/run/dialog.ts": "export const dialog = 1;\n",
    "src-renderer/features/run/panel.ts": 'export { dialog } from "../../graph/canvas.ts";\n',
    // Parts of the graph are rooms of their own.
    "src-renderer/graph/log/row.ts": 'export { node } from "../plan/node.ts";\n',
    "src-renderer/graph/plan/node.ts": "export const node = 1;\n",
    "src-renderer/graph/plan/line.ts": 'export { node } from "../log/row.ts";\n',
    "src-shared/domain/task.ts": "export const task = 1;\n",
    "src-shared/domain/plan/plan.ts": 'export { cut } from "../text/cut.ts";\nexport const plan = 1;\n',
    "src-shared/domain/text/cut.ts": "export const cut = 1;\n",
    "src-shared/domain/text/line.ts": 'export { plan } from "../plan/plan.ts";\n',
    "build/set-up.mjs": "export const setUp = 1;\n",
    "bench/row.ts": "export const row = 1;\n",
  };
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hox-circles-"));
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"), "junction");
    for (const file of [
      "package.json",
      "build/dependency-cruiser.cjs",
      "build/layers.mjs",
      "build/circles.mjs",
    ])
      cpSync(join(project, file), join(folder, file));
    write(folder, planted);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const check = (): Promise<string> => runNode([join(folder, "build/layers.mjs"), folder], folder);

  it("are found among types too, and between folders of the domain, the engine and the window", async () => {
    const output = await check();
    expect(output.trimEnd().split("\n").at(-1)).toMatch(/^\d+ modules; 1 circles; 5 circles of folders/u);
    expect(output).toContain(
      "3 files in an import circle, types included: src-main/jj/queue.ts, src-main/jj/reader.ts, src-main/jj/writer.ts",
    );
    expect(output).toContain("folders in an import circle: domain: plan, text");
    expect(output).toContain("folders in an import circle: engine: merging, run");
    expect(output).toContain(
      "folders in an import circle: engine: features/agents/mail, features/steering/queue, features/steering/undo",
    );
    expect(output).toContain("folders in an import circle: renderer: features/run, graph\n");
    expect(output).toContain("folders in an import circle: renderer: graph/log, graph/plan");
  });
});

describe("each runtime's tsconfig", () => {
  const refusals = [
    [
      "src-shared",
      "node:fs",
      'import { readFileSync } from "node:fs";\nexport const planted = readFileSync;\n',
    ],
    ["src-shared", "document", "export const planted = document.title;\n"],
    ["src-main", "document", "export const planted = document.title;\n"],
    ["src-renderer", "process", "export const planted = process.env;\n"],
  ] as const;

  it.each(refusals)("of %s refuses %s", async (layer, named, text) => {
    // Inside the project, so that the layer's types are found as they are for the layer itself.
    mkdirSync(join(project, ".cache"), { recursive: true });
    const folder = mkdtempSync(join(project, ".cache", "planted-"));
    try {
      const extended = { extends: join(project, layer, "tsconfig.json"), files: ["planted.ts"], include: [] };
      write(folder, { "planted.ts": text, "tsconfig.json": JSON.stringify(extended) });
      const tsc = join(project, "node_modules/typescript-native/bin/tsc");
      const output = await runNode([tsc, "--pretty", "false", "-p", folder], project);
      expect(output).toMatch(/planted\.ts\(\d+,\d+\): error TS/);
      expect(output).toContain(`'${named}'`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
