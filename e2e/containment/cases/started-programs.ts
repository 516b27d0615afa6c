import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { findTool } from "../../../src-main/config/tools.ts";
import { inspectFolder } from "../../../src-main/jj/inspect-folder.ts";
import { openRepository } from "../../../src-main/jj/open.ts";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import { quoted } from "../programs.ts";
import { plantRepository, recorderOf } from "../repository.ts";
import type { TestBed } from "../test-bed.ts";

/** Git settings of a folder that a user was talked into opening. A program that a read starts is noticed outside. */
const gitTraps = {
  "a-clean-filter": (mark: string) => [`filter.x.clean`, `touch ${mark}; cat`],
  "a-smudge-filter": (mark: string) => [`filter.x.smudge`, `touch ${mark}; cat`],
  "a-filter-process": (mark: string) => [`filter.x.process`, `touch ${mark}; false`],
  "a-file-system-monitor": (mark: string) => [`core.fsmonitor`, `touch ${mark}; false`],
  "an-external-diff": (mark: string) => [`diff.external`, `touch ${mark}; true`],
  "a-text-conversion": (mark: string) => [`diff.x.textconv`, `touch ${mark}; cat`],
  "a-pager": (mark: string) => [`core.pager`, `touch ${mark}; cat`],
  "an-ssh-command": (mark: string) => [`core.sshCommand`, `touch ${mark}; false`],
  "a-folder-of-hooks": () => [`core.hooksPath`, "hooks"],
  "an-alternative-object-store": () => [`core.alternateRefsCommand`, "false"],
} as const;

const traps: readonly Case[] = Object.entries(gitTraps).map(([name, setting]) => ({
  name: `looking-at-a-git-folder-with-${name}`,
  source: name === "a-clean-filter" ? "F5" : "F5, own",
  impossible: () => (findTool("git").found ? null : "there is no git"),
  plant: (testBed) => {
    const folder = testBed.outside("strange");
    const mark = testBed.outside("state/ran");
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], {
        cwd: folder,
        stdio: "ignore",
      });
    mkdirSync(folder);
    git("init", "-q");
    writeFileSync(`${folder}/file.txt`, "one");
    git("add", ".");
    git("commit", "-qm", "first");
    const [key = "", value = ""] = setting(mark);
    git("config", key, value);
    writeFileSync(`${folder}/.git/info/attributes`, "* filter=x diff=x\n");
    writeFileSync(`${folder}/.gitattributes`, "* filter=x diff=x\n");
    for (const hook of [
      "post-index-change",
      "pre-commit",
      "post-checkout",
      "reference-transaction",
      "fsmonitor-watchman",
    ])
      for (const below of [".git/hooks", "hooks"]) {
        mkdirSync(`${folder}/${below}`, { recursive: true });
        writeFileSync(`${folder}/${below}/${hook}`, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
      }
    // Another time and the same size: git has to look into the file.
    writeFileSync(`${folder}/file.txt`, "two");
  },
  attack: async (testBed) => {
    testBed.see(JSON.stringify(await inspectFolder(testBed.outside("strange"))));
  },
  judge: (testBed) => {
    if (existsSync(testBed.outside("state/ran")))
      return failed("a program that the folder names was started");
    return testBed.seen.includes('"kind":"git"') ? refused : failed("the attack did not run");
  },
}));

/** Replaces a tool, and writes down with which environment it was started. */
function plantRecorder(testBed: TestBed, tool: "jj" | "git"): void {
  const found = findTool(tool);
  if (!found.found) throw new Error(found.remedy);
  const variable = tool === "jj" ? "HOX_JJ" : "HOX_GIT";
  const path = testBed.outside(`bin/${tool}`);
  testBed.put(
    `bin/${tool}`,
    `#!/bin/sh\nenv >> ${quoted(testBed.outside("started"))}\nexec ${quoted(found.path)} "$@"\n`,
  );
  chmodSync(path, 0o755);
  const before = { [variable]: process.env[variable], ANTHROPIC_API_KEY: process.env.ANTHROPIC_API_KEY };
  process.env[variable] = path;
  process.env.ANTHROPIC_API_KEY = testBed.canary;
  testBed.put("started", "");
  testBed.after(() => {
    for (const [name, was] of Object.entries(before))
      if (was === undefined) delete process.env[name];
      else process.env[name] = was;
  });
}

const keys: readonly Case[] = (["jj", "git"] as const).map((tool) => ({
  name: `the-key-in-the-environment-of-${tool}`,
  source: "F16",
  plant: async (testBed: TestBed) => {
    if (tool === "jj") await plantRepository(testBed);
    else {
      mkdirSync(testBed.outside("git"));
      execFileSync("git", ["init", "-q"], { cwd: testBed.outside("git") });
    }
    plantRecorder(testBed, tool);
  },
  attack: async (testBed: TestBed) => {
    // What a run does, and not what a test types into a terminal.
    if (tool === "jj") {
      const repository = await openRepository(recorderOf(testBed).repository.root);
      await repository.workspace("agent-1", testBed.workspace).snapshot({ actor: "agent-1" });
      await repository.readGraph();
      await repository.close();
    } else await inspectFolder(testBed.outside("git"));
    testBed.note = readFileSync(testBed.outside("started"), "latin1");
    rmSync(testBed.outside("started"));
    testBed.settle();
  },
  judge: (testBed: TestBed) => {
    if (!testBed.note.includes("PATH=")) return failed("the attack did not run");
    return testBed.note.includes(testBed.canary) ? failed(`${tool} was given the key`) : refused;
  },
}));

/** Programs that the host itself starts outside of any sandbox, and what a folder can make of them. */
export const startedPrograms: Family = { name: "started programs", cases: [...traps, ...keys] };
