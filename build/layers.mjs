#!/usr/bin/env node
// The arrows between the layers, and the circles among modules and folders. What is known of circles may only shrink.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { circlesIn, featureImportsIn, graphOf, pairsIn } from "./circles.mjs";

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
const pairs = pairsIn(graph);
const known = JSON.parse(readFileSync(join(root, "build/known-circles.json"), "utf8"));

/** @type {string[]} */
const problems = summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`);
const inCircles = circles.reduce((sum, circle) => sum + circle.length, 0);
for (const [what, now, before] of /** @type {const} */ ([
  ["files in import circles", inCircles, known.filesInCircles],
  ["pairs of folders that import each other", pairs.length, known.pairs.length],
]))
  if (now < before)
    problems.push(`${what}: ${now}, and build/known-circles.json still says ${before}: lower it`);
if (inCircles > known.filesInCircles)
  problems.push(
    `${inCircles} files in import circles, types included; ${known.filesInCircles} are known:`,
    ...circles.map(
      (circle) => `  ${circle.length}: ${circle.slice(0, 12).join(", ")}${circle.length > 12 ? ", …" : ""}`,
    ),
  );
for (const { pair, imports } of pairs)
  if (!known.pairs.includes(pair))
    problems.push(`folders import each other: ${pair} (${imports.join(" one way, ")} the other)`);

const featureImports = featureImportsIn(modules);
for (const one of featureImports)
  if (!known.featureImports.includes(one)) problems.push(`a capability needs another one's values: ${one}`);
for (const one of known.featureImports)
  if (!featureImports.includes(one))
    problems.push(`no longer so, and build/known-circles.json still says it: ${one}`);

for (const problem of problems) console.log(problem);
console.log(
  `${graph.size} modules; ${circles.length} circles of ${inCircles} files; ${pairs.length} pairs of folders that import each other`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
