import { existsSync, renameSync, symlinkSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family, Verdict } from "../case.ts";
import { bounded, failed, race, refused } from "../case.ts";
import { python, quoted, withoutPython } from "../programs.ts";
import { furtherProtectedNames, isProtectedPath, protectedNames } from "../protected-names.ts";
import { plantRepository, recorderOf } from "../repository.ts";
import { aliveWith, type TestBed } from "../test-bed.ts";

const namesBefore = new WeakMap<TestBed, ReadonlySet<string>>();

/** Nothing protected is in the change or, newly, on the disk afterwards, and what is honest in it is. */
async function judge(testBed: TestBed): Promise<Verdict> {
  const before = namesBefore.get(testBed);
  const onDisk = testBed.names().filter((path) => !before?.has(path) && isProtectedPath(path));
  if (onDisk.length > 0) return failed(`on disk: ${onDisk.slice(0, 4).join(", ")}`);
  return judgeCommit(testBed);
}

/** Nothing protected is in the change. For cases whose rules, recorded before, let it be on the disk. */
export async function judgeCommit(testBed: TestBed): Promise<Verdict> {
  const { paths, snapshot, refusal } = await recorderOf(testBed).changed();
  if (refusal !== null) return bounded("nothing is recorded: jj refuses the folder");
  const planted = paths.filter(isProtectedPath);
  if (planted.length > 0) return failed(`in the commit: ${planted.slice(0, 4).join(", ")}`);
  if (!paths.includes("done.txt")) return failed("the attack did not run to its end");
  return snapshot.some(isProtectedPath) ? bounded("recorded, and taken out of the change again") : refused;
}

/** `done.txt` shows that a command ran to its end, and that a snapshot records what it may. */
export const plants = (name: string, source: string, command: string, more: Partial<Case> = {}): Case => ({
  name,
  source,
  attack: `${command}\necho done > done.txt`,
  judge,
  ...more,
  plant: async (testBed) => {
    await (more.plant ?? plantRepository)(testBed);
    namesBefore.set(testBed, new Set(testBed.names()));
  },
});

export const write = (paths: readonly string[], below = "."): string =>
  paths
    .map((path) => {
      const folder = path.includes("/") ? `mkdir -p ${below}/${path.replace(/\/[^/]*$/u, "")}; ` : "";
      return `${folder}echo planted > ${below}/${path}`;
    })
    .join("\n");

const harmful = ["CLAUDE.md", ".npmrc", ".github/workflows/ci.yml", ".hox/config.toml"];

/** An agent that keeps planting while its command ends. */
const plantAttack = (testBed: TestBed): string =>
  `setsid ${python(`# ${testBed.marker}
open("done.txt", "w").write("done")
while True:
    for name in ("CLAUDE.md", ".npmrc", "source/.envrc"):
        open(name, "w").write("planted")`)} </dev/null >/dev/null 2>&1 & n=0; while [ ! -e done.txt ] && [ $n -lt 400 ]; do sleep 0.02; n=$((n+1)); done;`;

export const commits: Family = {
  name: "commits",
  cases: [
    plants("new-protected-files", "notes", write(protectedNames)),
    plants(
      "new-protected-files-in-a-folder",
      "notes",
      `mkdir -p deep/er\n${write(protectedNames, "deep/er")}`,
    ),
    plants("new-protected-files-of-other-tools", "notes of issue 7", write(furtherProtectedNames)),
    plants(
      "plants-beside-a-name-that-is-no-text",
      "F2",
      `printf x > "$(printf 'caf\\351')"\n${write(harmful)}`,
    ),
    plants(
      "plants-in-a-folder-whose-name-is-no-text",
      "F2, own",
      `d=$(printf 'caf\\351'); mkdir "$d"; mkdir -p "$d/.github/workflows"; echo x > "$d/CLAUDE.md"; echo x > "$d/.github/workflows/ci.yml"\n${write(harmful)}`,
    ),
    plants(
      "plants-beside-a-path-that-is-too-deep",
      "F2",
      `${write(harmful)}\n(i=0; while [ $i -lt 60 ]; do n=$(printf %0100d $i); mkdir $n; cd $n; i=$((i+1)); done; echo x > CLAUDE.md)`,
    ),
    plants(
      "protected-folder-that-is-too-deep-to-remove",
      "F2, own",
      `mkdir -p .husky; echo x > .husky/pre-commit; echo x > CLAUDE.md; (cd .husky; i=0; while [ $i -lt 60 ]; do n=$(printf %0100d $i); mkdir $n; cd $n; i=$((i+1)); done)`,
    ),
    plants(
      "protected-folder-with-a-name-that-is-no-text",
      "F2, own",
      `${write(harmful)}\nfor d in .husky .circleci .vscode .claude .github .hox; do mkdir -p "$d/$(printf 'a\\351')/in" "$d/b"; echo x > "$d/$(printf 'a\\351')/in/$(printf '\\377')"; echo x > "$d/b/x"; done`,
    ),
    ...["target", "node_modules", "__pycache__", ".venv", "vendor", "dist"].map((folder) =>
      plants(
        `plants-in-${folder.replace(/^\./u, "").replaceAll("_", "")}-that-nobody-ignores`,
        "F12",
        `mkdir -p ${folder}/x\n${write(["CLAUDE.md", ".npmrc"], folder)}\n${write([".envrc", "AGENTS.md"], `${folder}/x`)}`,
      ),
    ),
    plants(
      "plants-by-renaming-a-folder",
      "notes",
      "mkdir -p x/workflows; echo x > x/workflows/ci.yml; mv x .github",
    ),
    plants("plants-as-a-link", "notes", "ln -s a.txt CLAUDE.md; ln -s source .github; ln -s nowhere .npmrc"),
    plants(
      "plants-as-a-folder",
      "notes",
      "mkdir -p CLAUDE.md .npmrc; echo x > CLAUDE.md/x; echo x > .npmrc/x",
    ),
    plants(
      "plants-in-other-spellings",
      "notes",
      `echo x > .ENV; echo x > Claude.MD; echo x > 'agents.md.'; echo x > '.npmrc '; echo x > ".en$(printf '\\342\\200\\213')v"; echo x > "$(printf '\\357\\274\\256')"; echo x > "CLAUDE$(printf '\\357\\274\\216')md"; mkdir .GitHub; echo x > .GitHub/x`,
    ),
    plants(
      "plants-in-folders-with-odd-names",
      "own",
      `for d in '-rf' '*' 'a
b' '\\' '%2e%2e' '$(touch x)' "$(printf '\\033[2J')" ' '; do mkdir -p -- "./$d"; echo x > "./$d/CLAUDE.md"; echo x > "./$d/.npmrc"; done`,
    ),
    plants(
      "plants-in-closed-folders",
      "notes",
      "mkdir -p shut/in; echo x > shut/CLAUDE.md; echo x > shut/in/.npmrc; chmod 000 shut/in; chmod 000 shut",
    ),
    plants(
      "plants-in-folders-that-can-be-entered-but-not-listed",
      "own",
      "mkdir -p shut/in; echo x > shut/CLAUDE.md; echo x > shut/in/.npmrc; chmod 333 shut/in; chmod 311 shut",
    ),
    plants(
      "plants-in-folders-that-can-be-listed-but-not-entered",
      "own",
      "mkdir -p shut/in; echo x > shut/CLAUDE.md; echo x > shut/in/.npmrc; echo x > CLAUDE.md; chmod 444 shut/in; chmod 444 shut",
    ),
    plants(
      "plants-beside-an-ignore-file-that-is-closed",
      "own",
      "mkdir -p shut; echo '*' > shut/.gitignore; echo x > shut/CLAUDE.md; echo x > CLAUDE.md; chmod 000 shut/.gitignore",
    ),
    plants(
      "plants-that-cannot-be-removed",
      "own",
      "mkdir -p .husky; echo x > .husky/pre-commit; chmod 555 .husky; mkdir sub; echo x > sub/CLAUDE.md; chmod 555 sub; chattr +i sub/CLAUDE.md 2>/dev/null; true",
    ),
    plants(
      "plants-beside-a-nested-repository",
      "notes",
      "mkdir -p sub/.git sub/.jj; echo x > sub/.git/HEAD; echo x > sub/CLAUDE.md; echo x > sub/.npmrc",
    ),
    plants("plants-under-a-heap-of-files", "notes", "", {
      tries: { long: 3, short: 0 },
      attack: (testBed) =>
        testBed.run(
          `mkdir '!heap' && (cd '!heap' && seq 20000 | xargs touch); echo x > CLAUDE.md; mkdir zz; echo x > zz/.npmrc; rm -rf '!heap'; mkdir heap && (cd heap && seq 3000 | xargs touch); echo done > done.txt`,
          { timeoutMs: 110_000 },
        ),
    }),
    plants(
      "plants-and-a-broken-ignore-file",
      "own",
      "mkdir sub; printf '*\\n!CLAUDE.md\\n!.npmrc\\n' > sub/.gitignore; echo x > sub/CLAUDE.md; echo x > sub/.npmrc; mkdir late; echo x > late/.npmrc; printf '[\\n\\\\' > late/.gitignore",
    ),
    plants(
      "plants-under-an-ignored-name-that-is-tracked-all-the-same",
      "own",
      "mkdir -p x.ignored; echo x > x.ignored/CLAUDE.md; mv x.ignored plain; mkdir y; echo x > y/.envrc",
    ),
    plants(
      "changes-of-protected-files",
      "notes",
      "echo x >> .env; echo x >> AGENTS.md; echo x >> packages/app/yarn.lock; chmod 777 .env; true",
    ),
    plants(
      "removal-of-protected-files",
      "notes",
      "rm -rf .env AGENTS.md packages .gitignore; git rm -f .env 2>/dev/null; true",
    ),
    plants("a-protected-link-that-is-changed", "notes", "rm -f .envrc; echo planted > .envrc", {
      plant: async (testBed) => {
        symlinkSync("a.txt", testBed.inside(".envrc"));
        await plantRepository(testBed);
      },
    }),
    plants("plants-that-go-on-at-exit", "F1", "", {
      tries: race,
      impossible: withoutPython,
      attack: (testBed) => testBed.run(plantAttack(testBed)),
    }),
    plants("plants-that-go-on-at-cancel", "F1", "", {
      tries: race,
      impossible: withoutPython,
      attack: (testBed) => {
        const stop = new AbortController();
        const watch = setInterval(() => {
          if (existsSync(testBed.inside("done.txt"))) stop.abort();
        }, 20);
        testBed.after(() => clearInterval(watch));
        return testBed.run(`${plantAttack(testBed)} sleep 60`, { signal: stop.signal });
      },
    }),
    plants("plants-before-the-time-limit", "notes", "", {
      attack: (testBed) =>
        testBed.run(`${write(harmful)}\necho done > done.txt; sleep 60`, { timeoutMs: 2_500 }),
    }),
    plants("plants-before-a-fork-bomb-is-stopped", "own", "", {
      attack: (testBed) =>
        testBed.run(
          `${write(harmful)}\necho done > done.txt; i=0; while [ $i -lt 400 ]; do sleep 30 & i=$((i+1)); done; wait`,
          { limits: { processes: 60 } },
        ),
    }),
    plants("plants-when-the-sandbox-is-killed", "notes", "", {
      attack: async (testBed) => {
        const running = testBed.run(`: ${testBed.marker}; ${write(harmful)}\necho done > done.txt; sleep 60`);
        while (!existsSync(testBed.inside("done.txt"))) await wait(20);
        for (const pid of aliveWith(testBed.marker)) {
          try {
            process.kill(Number(pid), "SIGKILL");
          } catch {
            // The first took the others with it.
          }
        }
        await running;
      },
    }),
    plants(
      "special-files-stay-out-and-stop-nothing",
      "own",
      `mkfifo pipe package.fifo; ${python("s = socket.socket(socket.AF_UNIX); s.bind('door'); s.listen()")}; ${quoted("true")}`,
      { impossible: withoutPython },
    ),
    {
      // What a hole elsewhere would leave behind: then the engine alone is left to judge the commit.
      name: "protected-files-that-no-command-has-written",
      source: "own",
      plant: (testBed) => plantRepository(testBed),
      attack: (testBed) => {
        for (const path of [...protectedNames, "deep/CLAUDE.md", "deep/.Github/x"])
          testBed.putInside(`${path}`, "planted");
        testBed.putInside("done.txt", "done");
        renameSync(testBed.inside("packages/app/yarn.lock"), testBed.inside("packages/app/moved.txt"));
      },
      judge: async (testBed) => {
        const verdict = await judgeCommit(testBed);
        if (verdict.kind === "failed") return verdict;
        return verdict.kind === "bounded" ? refused : failed("nothing protected was in the snapshot");
      },
    },
    {
      name: "what-honest-tools-make-stays",
      source: "notes of issue 7",
      plant: async (testBed) => {
        testBed.putInside(".gitignore", "Cargo.lock\n/cache/\n");
        await plantRepository(testBed);
      },
      attack:
        "echo lock > Cargo.lock; mkdir .pytest_cache cache; printf '*\\n' > .pytest_cache/.gitignore; echo x > .pytest_cache/CACHEDIR.TAG; echo x > cache/.npmrc; echo done > done.txt",
      judge: async (testBed) => {
        const gone = ["Cargo.lock", ".pytest_cache/.gitignore", "cache/.npmrc"].filter(
          (path) => !existsSync(testBed.inside(path)),
        );
        return gone.length > 0
          ? failed(`taken away though ignored: ${gone.join(", ")}`)
          : judgeCommit(testBed);
      },
    },
  ],
};
