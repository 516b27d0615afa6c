#!/usr/bin/env node
// Texts for users and test names that use the phrases which `words.mjs` bans.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findingsInCode, findingsInPage } from "./words.mjs";

const [root = process.cwd()] = process.argv.slice(2);
/** @param {readonly string[]} patterns */
const filesOf = (patterns) =>
  globSync(patterns, { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .toSorted();
const read = /** @param {string} file */ (file) => readFileSync(join(root, file), "utf8");

const code = filesOf(["src-*/**/*.{ts,tsx}", "{build,e2e}/**/*.{test,spec}.ts"]).filter(
  // Rehearsals script what models say.
  (file) => !/\/testing\/|^src-main\/(?:rehearsals|engine\/prompts)/u.test(file),
);
const pages = filesOf(["docs/*.md", "README.md"]);
const findings = [
  ...code.flatMap((file) => findingsInCode(file, read(file))),
  ...pages.flatMap((file) => findingsInPage(file, read(file))),
];
for (const { file, line, phrase, instead } of findings)
  console.log(`${file}:${line}: "${phrase}". Write instead: ${instead}.`);
console.log(`${code.length + pages.length} files; ${findings.length} banned phrases`);
process.exitCode = findings.length > 0 ? 1 : 0;
