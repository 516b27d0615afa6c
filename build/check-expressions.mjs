#!/usr/bin/env node
// Regular expressions that take more than linear time hold up the host when somebody else writes the text.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expressionProblems, expressionsIn } from "./expressions.mjs";

const [root = process.cwd()] = process.argv.slice(2);
const files = globSync(["src-*/**/*.ts", "src-*/**/*.tsx"], { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !/\.test\.tsx?$|\/testing\//.test(file))
  .toSorted();
const expressions = files.flatMap((file) => expressionsIn(file, readFileSync(join(root, file), "utf8")));
const allowed = JSON.parse(readFileSync(join(root, "build/allowed-expressions.json"), "utf8"));
const problems = expressionProblems(expressions, allowed);
for (const problem of problems) console.log(problem);
console.log(`${expressions.length} regular expressions in ${files.length} files; ${allowed.length} allowed`);
process.exitCode = problems.length > 0 ? 1 : 0;
