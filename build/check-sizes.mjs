#!/usr/bin/env node
// Functions and files that are too long.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isCounted, sizesOf, tooLong } from "./sizes.mjs";

const [root = process.cwd()] = process.argv.slice(2);
const roots = ["src-shared", "src-main", "src-renderer", "build", "bench", "e2e"];

const paths = roots.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .map((path) => path.replace(/^\/+/u, ""))
    .filter(isCounted),
);
const problems = tooLong(paths.map((path) => sizesOf(path, readFileSync(join(root, path), "utf8"))));
for (const problem of problems) console.log(problem);
console.log(`${paths.length} files; ${problems.length} files and functions are too long`);
process.exitCode = problems.length > 0 ? 1 : 0;
