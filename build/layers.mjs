#!/usr/bin/env node
// The arrows between the layers, and the circles among modules and folders.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { circlesIn, folderCirclesIn, graphOf } from "./circles.mjs";

const [root = process.cwd()] = process.argv.slice(2);
const roots = ["src-shared", "src-main", "src-renderer", "build", "bench"];

/** @returns {{ modules: import("./circles.mjs").Module[], summary: { violations: { from: string, to: string, rule: { name: string, severity: string } }[] } }} */
function cruise() {
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const args = [program, "--config", "build/dependency-cruiser.cjs", "--output-type", "json", ...roots];
  try {
    return JSON.parse(
      execFileSync(process.execPath, args, {
        cwd: root,
        encoding: "utf8",
        maxBuffer: 2 ** 28,
        stdio: "pipe",
      }),
    );
  } catch (error) {
    // Its exit code counts the violations.
    const { stdout = "", stderr = "" } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    if (!stdout.startsWith("{")) throw new Error(stderr || String(error));
    return JSON.parse(stdout);
  }
}

const { modules, summary } = cruise();
const graph = graphOf(modules);
const circles = circlesIn(graph);
const folders = folderCirclesIn(graph);

/** @type {readonly string[]} */
const problems = [
  ...summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`),
  ...circles.map(
    (circle) =>
      `${circle.length} files in an import circle, types included: ${circle.slice(0, 12).join(", ")}${circle.length > 12 ? ", …" : ""}`,
  ),
  ...folders.map((circle) => `folders in an import circle: ${circle}`),
];
for (const problem of problems) console.log(problem);
console.log(`${graph.size} modules; ${circles.length} circles; ${folders.length} circles of folders`);
process.exitCode = problems.length > 0 ? 1 : 0;
