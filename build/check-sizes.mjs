#!/usr/bin/env node
// Long functions and files are named; files that are too long fail the check.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isCounted, longParts, sizesOf, tooLong } from "./sizes.mjs";

const [root = process.cwd()] = process.argv.slice(2);
const roots = ["src-shared", "src-main", "src-renderer", "build", "bench", "e2e"];

const paths = roots.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .map((path) => path.replace(/^\/+/u, ""))
    .filter(isCounted),
);
const sizes = paths.map((path) => sizesOf(path, readFileSync(join(root, path), "utf8")));
const advice = longParts(sizes);
const problems = tooLong(sizes);
for (const line of [...advice, ...problems]) console.log(line);
console.log(
  `${paths.length} files; ${advice.length} files and functions are long, ${problems.length} files are too long`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
