import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { findTool } from "../../../src-main/config/tools.ts";
import { initBesideGit } from "../../../src-main/jj/init.ts";
import { inspectFolder } from "../../../src-main/jj/inspect-folder.ts";
import { openRepository } from "../../../src-main/jj/open.ts";
import { createGitRepository } from "../../../src-main/jj/testing/create-git-repository.ts";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import type { Ground } from "../ground.ts";
import { quoted } from "../programs.ts";
import { plantRepository, recorderOf } from "../repository.ts";

/** Git settings of a folder that somebody was talked into opening. A program that a look starts is seen outside. */
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
  plant: (ground) => {
    const folder = ground.outside("strange");
    const mark = ground.outside("state/ran");
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
  attack: async (ground) => {
    ground.see(JSON.stringify(await inspectFolder(ground.outside("strange"))));
  },
  judge: (ground) => {
    if (existsSync(ground.outside("state/ran"))) return failed("a program that the folder names was started");
    return ground.seen.includes('"kind":"git"') ? refused : failed("the attack did not run");
  },
}));

/** What stands in place of a tool and writes down with which environment it was started. */
function plantRecorder(ground: Ground, tool: "jj" | "git"): void {
  const found = findTool(tool);
  if (!found.found) throw new Error(found.remedy);
  const variable = tool === "jj" ? "HOX_JJ" : "HOX_GIT";
  const path = ground.outside(`bin/${tool}`);
  ground.put(
    `bin/${tool}`,
    `#!/bin/sh\nenv >> ${quoted(ground.outside("started"))}\nexec ${quoted(found.path)} "$@"\n`,
  );
  chmodSync(path, 0o755);
  const before = { [variable]: process.env[variable], ANTHROPIC_API_KEY: process.env.ANTHROPIC_API_KEY };
  process.env[variable] = path;
  process.env.ANTHROPIC_API_KEY = ground.canary;
  ground.put("started", "");
  ground.after(() => {
    for (const [name, was] of Object.entries(before))
      if (was === undefined) delete process.env[name];
      else process.env[name] = was;
  });
}

const keys: readonly Case[] = (["jj", "git"] as const).map((tool) => ({
  name: `the-key-in-the-environment-of-${tool}`,
  source: "F16",
  plant: async (ground: Ground) => {
    if (tool === "jj") await plantRepository(ground);
    else {
      mkdirSync(ground.outside("git"));
      execFileSync("git", ["init", "-q"], { cwd: ground.outside("git") });
    }
    plantRecorder(ground, tool);
  },
  attack: async (ground: Ground) => {
    // What a run does, and not what a test types into a terminal.
    if (tool === "jj") {
      const repository = await openRepository(recorderOf(ground).repository.root);
      await repository.workspace("agent-1", ground.workspace).snapshot({ actor: "agent-1" });
      await repository.readGraph();
      await repository.close();
    } else await inspectFolder(ground.outside("git"));
    ground.note = readFileSync(ground.outside("started"), "latin1");
    rmSync(ground.outside("started"));
    ground.settle();
  },
  judge: (ground: Ground) => {
    if (!ground.note.includes("PATH=")) return failed("the attack did not run");
    return ground.note.includes(ground.canary) ? failed(`${tool} was given the key`) : refused;
  },
}));

/** What git-lfs does with the settings that it finds, for machines that have none: it asks, and it reaches a server. */
const lfsProgram = (mark: string, ran: string): string => `#!/bin/sh
touch ${ran}
for ask in "$(git config core.askPass)" "$(git config credential.helper)" "$GIT_ASKPASS"; do test -n "$ask" && sh -c "$ask"; done
for url in "$(git config lfs.url)" "$(git config -f .lfsconfig lfs.url 2>/dev/null)" "$(git config remote.origin.url)"; do test -n "$url" && touch ${mark}; done
exec cat
`;

/** Landing on the branch that stands in a folder that somebody sent, with a file that Git LFS keeps. */
const landing: Case = {
  name: "landing-in-a-git-folder-of-somebody-else",
  source: "G1",
  impossible: () => (findTool("git").found ? null : "there is no git"),
  attack: async (ground) => {
    const repo = await createGitRepository({ files: { "a.txt": "one\n" } });
    ground.after(() => repo.remove());
    const mark = ground.outside("state/ran");
    const programs = ground.inside("programs");
    mkdirSync(programs);
    writeFileSync(`${programs}/git-lfs`, lfsProgram(mark, ground.inside("lfs-ran")), { mode: 0o755 });
    const path = process.env.PATH ?? "";
    process.env.PATH = `${programs}${delimiter}${path}`;
    try {
      await initBesideGit(repo.root);
      const settings: Readonly<Record<string, string>> = {
        "core.askPass": `touch ${mark}; echo`,
        "core.editor": `touch ${mark}; true`,
        "core.worktree": ground.outside("state"),
        "credential.helper": `!touch ${mark}; cat`,
        "filter.lfs.smudge": "git-lfs smudge -- %f",
        "filter.lfs.clean": "git-lfs clean -- %f",
        "filter.own.smudge": `touch ${mark}; cat`,
        "filter.own.clean": `touch ${mark}; cat`,
        "hook.planted.command": `touch ${mark}`,
        "hook.planted.event": "reference-transaction",
        "core.hooksPath": ground.outside("state/hooks"),
        "core.fsmonitor": `touch ${mark}; false`,
        "core.sshCommand": `touch ${mark}; false`,
        "core.alternateRefsCommand": `touch ${mark}; false`,
        "core.gitProxy": `touch ${mark}; false`,
        "gpg.program": `touch ${mark}`,
        "diff.external": `touch ${mark}`,
        "uploadpack.packObjectsHook": `touch ${mark}; false`,
        "extensions.worktreeConfig": "true",
        "include.path": ground.outside("state/more"),
        "lfs.url": "http://127.0.0.1:1/",
        "remote.origin.url": "http://127.0.0.1:1/",
      };
      for (const [key, value] of Object.entries(settings)) await repo.git("config", key, value);
      // Settings that Git reads besides: of this folder alone, and of another file.
      const more = `[core]\n\taskPass = touch ${mark}\n\tfsmonitor = touch ${mark}\n[filter "own"]\n\tprocess = touch ${mark}\n`;
      writeFileSync(`${repo.root}/.git/config.worktree`, more);
      writeFileSync(ground.outside("state/more"), more);
      mkdirSync(ground.outside("state/hooks"));
      for (const name of ["post-checkout", "post-index-change", "reference-transaction"])
        writeFileSync(ground.outside(`state/hooks/${name}`), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
      ground.settle();
      const repository = await openRepository(repo.root);
      try {
        const [from = ""] = (await repository.readGraph()).refs.bookmarks.main ?? [];
        const { commitId } = await repository.newChange({
          parents: ["main"],
          description: "work\n",
          files: {
            ".gitattributes": "*.lfs filter=lfs\n*.own filter=own\n",
            ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:1/\n",
            "a.lfs": "content\n",
            "a.own": "content\n",
          },
        });
        await repository.moveBranch({ branch: "main", from, to: commitId });
      } finally {
        await repository.close();
      }
      ground.note = ["a.lfs", "a.own"].filter((name) => existsSync(`${repo.root}/${name}`)).join(" ");
    } finally {
      process.env.PATH = path;
    }
  },
  judge: (ground) =>
    ground.note === "a.lfs a.own" && existsSync(ground.inside("lfs-ran"))
      ? refused
      : failed("the landing did not take place, or git-lfs did not run"),
};

/** Programs that the host itself starts outside of any sandbox, and what a folder can make of them. */
export const startedPrograms: Family = { name: "started programs", cases: [...traps, ...keys, landing] };
