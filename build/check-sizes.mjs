#!/usr/bin/env node
// Functions and files that are too long. What is known of them may only become shorter.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beyond, isCounted, lowered, problemsOf, sizesOf } from "./sizes.mjs";

const args = process.argv.slice(2);
const [root = process.cwd()] = args.filter((one) => !one.startsWith("--"));
const roots = ["src-shared", "src-main", "src-renderer", "build", "bench", "e2e"];
const knownFile = join(root, "build/known-sizes.json");

const paths = roots.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .map((path) => path.replace(/^\/+/u, ""))
    .filter(isCounted),
);
const now = beyond(paths.map((path) => sizesOf(path, readFileSync(join(root, path), "utf8"))));
const known = JSON.parse(readFileSync(knownFile, "utf8"));

if (args.includes("--lower")) writeFileSync(knownFile, `${JSON.stringify(lowered(now, known), null, 2)}\n`);
const problems = problemsOf(now, JSON.parse(readFileSync(knownFile, "utf8")));
for (const problem of problems) console.log(problem);
const [files, functions] = [Object.keys(now.files), Object.keys(now.functions)];
console.log(`${paths.length} files; ${files.length} are too long, and ${functions.length} functions`);
process.exitCode = problems.length > 0 ? 1 : 0;
