import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { findTool } from "../../../src-main/config/tools.ts";
import { initInGitRepository } from "../../../src-main/jj/init.ts";
import { openRepository } from "../../../src-main/jj/open.ts";
import { createGitRepository } from "../../../src-main/jj/testing/create-git-repository.ts";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";

/** What git-lfs does with the settings that it finds, for machines that have none: it asks, and it reaches a server. */
const lfsProgram = (mark: string, ran: string): string => `#!/bin/sh
touch ${ran}
for ask in "$(git config core.askPass)" "$(git config credential.helper)" "$GIT_ASKPASS"; do test -n "$ask" && sh -c "$ask"; done
for url in "$(git config lfs.url)" "$(git config -f .lfsconfig lfs.url 2>/dev/null)" "$(git config remote.origin.url)"; do test -n "$url" && touch ${mark}; done
exec cat
`;

/** Landing on the branch of a folder from someone else, with a file that Git LFS keeps. */
const programs: Case = {
  name: "landing-in-a-git-folder-of-somebody-else",
  source: "G1",
  impossible: () => (findTool("git").found ? null : "there is no git"),
  attack: async (testBed) => {
    const repo = await createGitRepository({ files: { "a.txt": "one\n" } });
    testBed.after(() => repo.remove());
    const mark = testBed.outside("state/ran");
    const programs = testBed.inside("programs");
    mkdirSync(programs);
    writeFileSync(`${programs}/git-lfs`, lfsProgram(mark, testBed.inside("lfs-ran")), { mode: 0o755 });
    const path = process.env.PATH ?? "";
    process.env.PATH = `${programs}${delimiter}${path}`;
    try {
      await initInGitRepository(repo.root);
      const settings: Readonly<Record<string, string>> = {
        "core.askPass": `touch ${mark}; echo`,
        "core.editor": `touch ${mark}; true`,
        "core.worktree": testBed.outside("state"),
        "credential.helper": `!touch ${mark}; cat`,
        "filter.lfs.smudge": "git-lfs smudge -- %f",
        "filter.lfs.clean": "git-lfs clean -- %f",
        "filter.own.smudge": `touch ${mark}; cat`,
        "filter.own.clean": `touch ${mark}; cat`,
        "hook.planted.command": `touch ${mark}`,
        "hook.planted.event": "reference-transaction",
        "core.hooksPath": testBed.outside("state/hooks"),
        "core.fsmonitor": `touch ${mark}; false`,
        "core.sshCommand": `touch ${mark}; false`,
        "core.alternateRefsCommand": `touch ${mark}; false`,
        "core.gitProxy": `touch ${mark}; false`,
        "gpg.program": `touch ${mark}`,
        "diff.external": `touch ${mark}`,
        "uploadpack.packObjectsHook": `touch ${mark}; false`,
        "extensions.worktreeConfig": "true",
        "include.path": testBed.outside("state/more"),
        "lfs.url": "http://127.0.0.1:1/",
        "remote.origin.url": "http://127.0.0.1:1/",
      };
      for (const [key, value] of Object.entries(settings)) await repo.git("config", key, value);
      // Settings that Git reads besides: of this folder alone, and of another file.
      const more = `[core]\n\taskPass = touch ${mark}\n\tfsmonitor = touch ${mark}\n[filter "own"]\n\tprocess = touch ${mark}\n`;
      writeFileSync(`${repo.root}/.git/config.worktree`, more);
      writeFileSync(testBed.outside("state/more"), more);
      mkdirSync(testBed.outside("state/hooks"));
      for (const name of ["post-checkout", "post-index-change", "reference-transaction"])
        writeFileSync(testBed.outside(`state/hooks/${name}`), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
      testBed.settle();
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
      testBed.note = ["a.lfs", "a.own"].filter((name) => existsSync(`${repo.root}/${name}`)).join(" ");
    } finally {
      process.env.PATH = path;
    }
  },
  judge: (testBed) =>
    testBed.note === "a.lfs a.own" && existsSync(testBed.inside("lfs-ran"))
      ? refused
      : failed("the landing did not take place, or git-lfs did not run"),
};

/** Files of a change that would be written outside of the folder it lands in, or be Git's own. */
const harmfulFiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "below-a-link": { "out/planted.txt": "planted" },
  "in-place-of-a-link": { out: "planted" },
  "in-other-spellings-of-git": {
    ".GIT/hooks/post-checkout": "planted",
    "sub/.Git/config": "planted",
    "git~1/config": "planted",
    ".git\u200c/config": "planted",
  },
  "in-git": { ".git/hooks/post-checkout": "planted", "sub/.git/config": "planted" },
  "in-jj": { ".jj/repo/planted": "planted" },
  "above-the-folder": { "../planted.txt": "planted", "sub/../../planted.txt": "planted" },
};

const landedFiles = Object.entries(harmfulFiles).map(
  ([name, files]): Case => ({
    name: `a-landing-of-files-${name}`,
    source: "own",
    impossible: () => (findTool("git").found ? null : "there is no git"),
    attack: async (testBed) => {
      const repo = await createGitRepository({ files: { "a.txt": "one\n" } });
      testBed.after(() => repo.remove());
      symlinkSync(testBed.outside("opened"), `${repo.root}/out`);
      await repo.git("add", "out");
      await repo.git("commit", "-q", "-m", "link");
      await initInGitRepository(repo.root);
      const repository = await openRepository(repo.root);
      try {
        const [from = ""] = (await repository.readGraph()).refs.bookmarks.main ?? [];
        const land = async (files: Readonly<Record<string, string>>): Promise<void> => {
          const { commitId } = await repository.newChange({
            parents: ["main"],
            description: "work\n",
            files,
          });
          await repository.moveBranch({ branch: "main", from, to: commitId });
        };
        // Refused, or landed in the folder alone: either will do.
        await land(files).catch((error: unknown) => testBed.see(String(error)));
        if (!testBed.seen.includes("rror")) testBed.note = "landed";
        else {
          await land({ "b.txt": "two\n" });
          testBed.note = existsSync(`${repo.root}/b.txt`) ? "refused" : "";
        }
        const config = readFileSync(`${repo.root}/.git/config`, "utf8");
        const hook = existsSync(`${repo.root}/.git/hooks/post-checkout`);
        if (config.includes("planted") || hook || existsSync(`${repo.root}/../planted.txt`))
          testBed.note = "planted in Git or above the folder";
      } finally {
        await repository.close();
      }
    },
    judge: (testBed) =>
      ["landed", "refused"].includes(testBed.note)
        ? refused
        : failed(testBed.note || "an honest change does not land"),
  }),
);

/** Finished work that comes into the user's own folder. */
export const landing: Family = { name: "landing", cases: [programs, ...landedFiles] };
