// Says what is wrong with the sources, as `file:line: message`. No dependencies, so it is quick enough for every save.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folders = ["src", "test", "acceptance", "tools"];
const files = folders.flatMap((folder) => {
  try {
    return readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((name) => name.endsWith(".js"));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
});

const problems = [];
for (const file of files.sort()) {
  const text = readFileSync(file, "utf8");
  for (const [index, line] of text.split("\n").entries()) {
    const say = (message) => problems.push(`${file}:${index + 1}: ${message}`);
    if (/^(<{7}|>{7}|%{7}|\+{7}|={7})( |$)/.test(line)) say("conflict marker");
    if (/\bconsole\.log\(/.test(line) && file.startsWith("src")) say("console.log is for debugging; remove it");
    if (/\t/.test(line)) say("tab; indent with two spaces");
    if (/\s$/.test(line)) say("space at the end of the line");
    if (line.length > 120) say(`line of ${line.length} characters; 120 are allowed`);
  }
  if (!text.endsWith("\n")) problems.push(`${file}: no line end at the end of the file`);
}

// `node --check` takes one file and a process for each; this parses them all in one, and runs none of them.
const parse = `
  const { readFileSync } = require("node:fs");
  const { SourceTextModule } = require("node:vm");
  for (const file of process.argv.slice(1)) {
    try {
      new SourceTextModule(readFileSync(file, "utf8"), { identifier: file });
    } catch (error) {
      console.log(file + ": " + error.name + ": " + error.message);
    }
  }
`;
const flags = ["--no-warnings", "--experimental-vm-modules", "--eval", parse, "--"];
const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, ...files], { encoding: "utf8" });
problems.push(...stdout.split("\n").filter((line) => line !== ""));
if (status !== 0) problems.push(`the sources could not be parsed: ${stderr}`);

for (const problem of problems) process.stdout.write(`${problem}\n`);
const verdict =
  problems.length === 0 ? `${files.length} files, nothing to complain about` : `${problems.length} problems`;
process.stdout.write(`${verdict}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
