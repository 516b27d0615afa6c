import { symlinkSync } from "node:fs";
import type { Case, Family, Verdict } from "../case.ts";
import { failed, refused } from "../case.ts";
import { isProtectedPath } from "../protected-names.ts";
import { plantRepository } from "../repository.ts";
import { judgeCommit, plants, write } from "./commits.ts";

/** Rules of the user's own repository, recorded before the agent began. */
const ruled = (
  name: string,
  source: string,
  rules: string,
  files: Readonly<Record<string, string>>,
  command: string,
): Case =>
  plants(name, source, command, {
    plant: async (testBed) => {
      for (const [path, text] of Object.entries(files)) testBed.putInside(`${path}`, text);
      await plantRepository(testBed, rules);
    },
    judge: judgeCommit,
  });

const harmful = ["CLAUDE.md", ".npmrc"];

/** Nothing new and protected remains in the folder itself once the command has ended; honest files stay there. */
const staysNowhere = (
  name: string,
  command: string,
  {
    rules = "",
    files = {},
  }: { readonly rules?: string; readonly files?: Readonly<Record<string, string>> } = {},
): Case => {
  const before = new Set<string>();
  return {
    name,
    source: "G4",
    plant: (testBed) => {
      testBed.putInside(".gitignore", rules);
      for (const [path, text] of Object.entries(files)) testBed.putInside(`${path}`, text);
      for (const path of testBed.names()) before.add(path);
    },
    attack: `${command}\necho done > done.txt`,
    judge: (testBed): Verdict => {
      const now = testBed.names();
      if (!now.includes("done.txt")) return failed("the attack did not run to its end");
      const gone = Object.keys(files).filter((path) => !now.includes(path));
      if (gone.length > 0) return failed(`taken away although it was there: ${gone[0]}`);
      const planted = now.filter((path) => !before.has(path) && isProtectedPath(path));
      return planted.length > 0 ? failed(`on disk: ${planted.slice(0, 4).join(", ")}`) : refused;
    },
  };
};

/** A repository whose settings start a program at the next `git status` in it. */
const repositoryIn = (folder: string): string =>
  `mkdir -p ${folder}/.git/objects ${folder}/.git/refs; echo 'ref: refs/heads/main' > ${folder}/.git/HEAD; printf '[core]\\n\\tfsmonitor = evil\\n' > ${folder}/.git/config`;

const allHarmful = [...harmful, ".envrc", ".vscode/tasks.json", ".claude/settings.json", "package-lock.json"];

const onDisk: readonly Case[] = [
  staysNowhere(
    "an-ignore-file-that-hides-itself-in-a-folder",
    `mkdir lib; printf '*\\n' > lib/.gitignore\n${write(allHarmful, "lib")}\n${repositoryIn("lib")}`,
  ),
  staysNowhere(
    "an-ignore-file-that-hides-itself-beside-recorded-files",
    `printf '*\\n' > source/.gitignore\n${write(allHarmful, "source")}\n${repositoryIn("source")}`,
  ),
  staysNowhere(
    "ignore-files-within-a-cache",
    `for d in .venv .pytest_cache src/.mypy_cache; do mkdir -p $d/x; printf '*\\n' > $d/x/CLAUDE.md; ln -s x $d/CLAUDE.md; mkdir -p $d/.git; done`,
  ),
  staysNowhere(
    "a-cache-that-is-renamed-with-its-ignore-file",
    `mkdir .pytest_cache; printf '*\\n' > .pytest_cache/.gitignore; mv .pytest_cache lib\n${write(allHarmful, "lib")}`,
  ),
  staysNowhere(
    "a-repository-in-what-is-ignored",
    `${repositoryIn("build/deep/er")}; ${repositoryIn("node_modules/pad2")}; mkdir -p build/other; echo 'gitdir: ../../evil' > build/other/.git; mkdir -p build/store/.jj/repo; mkdir build/UP; ln -s ../deep/er/.git build/UP/.GIT; ${repositoryIn("build/closed")}; ${repositoryIn('"build/$(printf "a\\351")"')}`,
    {
      rules: "build/\nnode_modules/\n",
      files: { "build/kept/.git/config": "[core]", "build/.npmrc": "kept" },
    },
  ),
  staysNowhere(
    "a-repository-that-stood-in-what-is-ignored-is-changed",
    "printf '[core]\\n\\tfsmonitor = evil\\n' > build/kept/.git/config && mv build/kept/.git build/.git; rm -rf build/kept/.git; true",
    { rules: "build/\n", files: { "build/kept/.git/config": "[core]" } },
  ),
  staysNowhere(
    "plants-below-a-name-that-is-no-text",
    `d=$(printf 'caf\\351'); mkdir -p "$d/in/$d" "lib/$d"\n${write(allHarmful, '"$d/in"')}\n${write(allHarmful, '"lib/$d"')}\n${repositoryIn('"$d/in/$d"')}`,
  ),
];

/** Ignore files as a way around: leaving ignored files alone must apply to what is ignored in the end. */
export const ignored: Family = {
  name: "ignored",
  cases: [
    ...onDisk,
    plants(
      "an-ignore-file-that-is-taken-away-later",
      "own",
      `mkdir sub; printf 'CLAUDE.md\\n.npmrc\\n' > sub/.gitignore\n${write(harmful, "sub")}`,
    ),
    plants(
      "an-ignore-file-that-an-ignore-file-hides",
      "own",
      `mkdir -p a/b; printf 'b/.gitignore\\n' > a/.gitignore; printf 'CLAUDE.md\\n.npmrc\\n' > a/b/.gitignore\n${write(harmful, "a/b")}`,
    ),
    plants(
      "an-ignore-file-that-hides-its-whole-folder",
      "own",
      `mkdir -p a/b; printf 'b/\\n' > a/.gitignore\n${write(harmful, "a/b")}`,
    ),
    plants(
      "an-ignore-file-that-is-a-link",
      "own",
      `mkdir sub; printf 'CLAUDE.md\\n.npmrc\\n' > rules.txt; ln -s ../rules.txt sub/.gitignore\n${write(harmful, "sub")}`,
    ),
    plants(
      "an-ignore-file-that-is-a-folder",
      "own",
      `mkdir -p sub/.gitignore; echo '*' > sub/.gitignore/x\n${write(harmful, "sub")}`,
    ),
    plants(
      "an-ignore-file-that-is-a-pipe",
      "own",
      `mkdir sub; mkfifo sub/.gitignore\n${write(harmful, "sub")}`,
    ),
    plants(
      "an-ignore-file-that-is-no-text",
      "own",
      `mkdir sub; printf 'CLAUDE.md\\n.npmrc\\n\\377\\376\\000\\n.gitignore\\n' > sub/.gitignore\n${write(harmful, "sub")}`,
    ),
    plants(
      "an-ignore-file-of-a-hundred-megabytes",
      "own",
      `mkdir sub; yes 'CLAUDE.md' | head -c 100000000 > sub/.gitignore; printf '\\n.npmrc\\n.gitignore\\n' >> sub/.gitignore\n${write(harmful, "sub")}`,
      { tries: { long: 2, short: 0 } },
    ),
    ...Object.entries({
      "a-return-before-the-line-break": ".gitignore\\r\\nCLAUDE.md\\r\\n.npmrc\\r\\n",
      "a-byte-order-mark": "\\357\\273\\277CLAUDE.md\\n.npmrc\\n.gitignore\\n",
      "spaces-at-the-end": ".gitignore  \\nCLAUDE.md \\n.npmrc\\t\\n",
      "escaped-spaces": ".gitignore\\nCLAUDE.md\\\\ \\n.npmrc\\\\\\n",
      "classes-of-letters": ".gitignore\\n[[:upper:]]LAUDE.md\\n.[!a-m]pmrc\\n",
      "an-open-bracket": ".gitignore\\n[C\\nCLAUDE.m[d\\n.npm[\\n",
      "stars-in-a-row": ".gitignore\\n***\\n**CLAUDE.md\\n/**/.npmrc\\n",
      "a-folder-that-comes-back": "*\\n!*/\\n!/again/\\n!/again/**\\n!CLAUDE.md\\n*.md\\n",
      "another-case": ".gitignore\\nclaude.MD\\n.NPMRC\\n",
      "a-backslash-in-a-name": ".gitignore\\nsub\\\\CLAUDE.md\\n\\\\CLAUDE.md\\n\\\\.npmrc\\n",
      "a-null-byte": ".gitignore\\nCLAUDE.md\\000\\n.npmrc\\000x\\n",
      "a-comment-that-is-none": ".gitignore\\n\\\\#\\n #x\\n\\\\!CLAUDE.md\\n !.npmrc\\n",
    }).map(([name, rules]) =>
      plants(
        `ignore-rules-with-${name}`,
        "own",
        `mkdir -p sub/again; printf '${rules}' > sub/.gitignore; printf '${rules}' > sub/again/.gitignore\n${write(harmful, "sub")}\n${write(harmful, "sub/again")}`,
        { tries: { long: 3, short: 0 } },
      ),
    ),
    ruled(
      "a-recorded-file-that-the-rules-ignore",
      "own",
      ".*\nCargo.lock\n",
      { "Cargo.lock": "locked", ".github/workflows/ci.yml": "safe", ".npmrc": "safe" },
      "echo x > Cargo.lock; echo x > .github/workflows/ci.yml; echo x > .npmrc; echo x >> .env; echo x >> .gitignore",
    ),
    ruled(
      "a-recorded-file-in-a-folder-that-the-rules-ignore",
      "own",
      "/build/\n/.github/\n",
      { "build/.npmrc": "safe", "build/CLAUDE.md": "safe", ".github/workflows/ci.yml": "safe" },
      "echo x > build/.npmrc; rm build/CLAUDE.md; echo x > .github/workflows/ci.yml; echo x > .github/workflows/new.yml; mv build gone; mkdir build; echo x > build/.npmrc",
    ),
    ruled(
      "an-ignored-folder-that-is-moved-into-the-open",
      "own",
      "/cache/\n",
      {},
      "mkdir -p cache/deep; echo x > cache/deep/CLAUDE.md; mkdir -p cache/.github/workflows; echo x > cache/.github/workflows/ci.yml; mv cache open; ln -s open cache",
    ),
    plants("an-ignored-file-that-a-later-command-uncovers", "own", "", {
      plant: async (testBed) => {
        testBed.putInside(".gitignore", "/cache/\n");
        await plantRepository(testBed);
      },
      attack: async (testBed) => {
        await testBed.run(
          `mkdir -p cache sub; printf '*\\n' > sub/.gitignore\n${write(harmful, "cache")}\n${write(harmful, "sub")}`,
        );
        await testBed.run(
          "mv cache/CLAUDE.md renamed.txt; mv cache open; rm -f sub/.gitignore; echo done > done.txt",
        );
        await testBed.run("mv renamed.txt CLAUDE.md; true");
      },
    }),
    plants(
      "an-ignored-link-to-a-folder-that-is-none",
      "own",
      "ln -s source build; echo x > build/CLAUDE.md; ln -s ../.github build/x",
      {
        plant: async (testBed) => {
          testBed.putInside(".gitignore", "build/\n");
          symlinkSync("source", testBed.inside("other"));
          await plantRepository(testBed);
        },
      },
    ),
    plants(
      "plants-below-a-thousand-folders",
      "own",
      "/usr/bin/python3 -c \"import os\nfor level in range(1200): os.mkdir('a'); os.chdir('a')\nopen('CLAUDE.md', 'w').write('x')\"; echo x > CLAUDE.md",
      { tries: { long: 3, short: 0 } },
    ),
  ],
};
