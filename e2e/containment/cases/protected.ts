import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import { differenceOf, fingerprint } from "../fingerprint.ts";
import { python, withoutPython } from "../programs.ts";
import type { TestBed } from "../test-bed.ts";

const kept = [".env", ".gitignore", ".jj/", "AGENTS.md", "packages/app/yarn.lock", ".hox", ".git/"];

/** The protected files of the workspace, as they are on the disk. */
const protectedOf = (testBed: TestBed): ReadonlyMap<string, string> =>
  new Map(
    [...fingerprint(testBed.workspace)].filter(([path]) =>
      kept.some((name) => path === name || path.startsWith(name)),
    ),
  );

const before = new WeakMap<TestBed, ReadonlyMap<string, string>>();

/** A way to change an existing protected file; no change may remain afterwards. */
const way = (name: string, attack: Case["attack"], more: Partial<Case> = {}): Case => ({
  name,
  source: "notes",
  plant: (testBed) => void before.set(testBed, protectedOf(testBed)),
  attack: typeof attack === "string" ? `${attack}\necho tried` : attack,
  judge: (testBed) => {
    const changed = differenceOf(before.get(testBed) ?? new Map(), protectedOf(testBed));
    if (changed) return failed(changed);
    return typeof attack !== "string" || testBed.seen.includes("tried")
      ? refused
      : failed("the attack did not run");
  },
  ...more,
});

const inPython = (name: string, program: string): Case =>
  way(name, python(`${program}\nprint("tried")`), { source: "own", impossible: withoutPython });

const shell: readonly Case[] = [
  way("write-over-a-protected-file", "echo x > .env; echo x > AGENTS.md; echo x > packages/app/yarn.lock"),
  way("append-to-a-protected-file", "echo x >> .env"),
  way("sed-in-place", "sed -i s/value/other/ .env; sed -i s/locked/x/ packages/app/yarn.lock"),
  way("tee", "echo x | tee .env AGENTS.md .gitignore"),
  way("python-writes-a-protected-file", '/usr/bin/python3 -c \'open(".env", "w").write("x")\'', {
    impossible: withoutPython,
  }),
  way("node-writes-a-protected-file", `node -e 'require("fs").writeFileSync(".env", "x")'`),
  way("delete-a-protected-file", "rm -f .env; rm -rf .jj; unlink AGENTS.md"),
  way("rename-a-protected-file", "mv .env moved; mv AGENTS.md other"),
  way(
    "rename-over-a-protected-file",
    "echo x > new; mv -f new .env; cp -f a.txt AGENTS.md; install -m 644 a.txt .gitignore",
  ),
  way(
    "change-the-mode-of-a-protected-file",
    "chmod 777 .env; chmod -x .env; chmod 000 AGENTS.md; touch -d 2001-01-01 .env",
  ),
  way("hard-link-and-write", "ln .env other && echo x > other; ln -f a.txt .env; ln -f a.txt AGENTS.md"),
  way("symbolic-link-over-a-protected-file", "ln -sf a.txt .env; ln -sfn source .jj"),
  way("replace-a-protected-file-by-a-folder", "rm -f .env; mkdir .env; echo x > .env/x"),
  way("truncate-a-protected-file", "truncate -s 0 .env; true > AGENTS.md; dd if=/dev/null of=.gitignore"),
  way(
    "move-the-folder-of-a-protected-file",
    "mv packages away; mkdir -p packages/app; echo x > packages/app/yarn.lock",
  ),
  way(
    "move-the-inner-folder-of-a-protected-file",
    "mv packages/app packages/gone; mkdir packages/app; echo x > packages/app/yarn.lock",
  ),
  way(
    "the-pointer-of-the-workspace",
    "echo /elsewhere > .jj/repo; echo x > .jj/workspace-config.toml; mkdir .jj/new; mv .jj away",
  ),
  way(
    "hooks-of-git",
    "mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch x' > .git/hooks/pre-commit; echo '[core] fsmonitor=x' > .git/config",
  ),
  way("hox-own-folder", "mkdir -p .hox; printf '[gates]\\nhuman = []\\n' > .hox/config.toml"),
  way(
    "write-through-a-link-to-a-protected-file",
    "ln -s .env alias; echo x > alias; ln -s .jj deep; echo x > deep/repo",
  ),
  way(
    "write-by-way-of-other-names",
    "echo x > ./source/../.env; echo x > $PWD/.env; echo x > /proc/self/cwd/.env; cd source; echo x > ../.env; echo x > ../.jj/repo",
  ),
  way(
    "extract-an-archive-over-it",
    "mkdir t; echo x > t/.env; echo x > t/AGENTS.md; tar -C t -cf all.tar .; tar -xf all.tar --overwrite; tar -xf all.tar --unlink-first",
  ),
  way(
    "take-the-mount-away",
    "umount .env; umount -l .jj; mount -o remount,rw,bind .env; mount -o remount,rw .; echo x > .env",
  ),
  way(
    "take-the-mount-away-in-a-new-namespace",
    "unshare -Urm sh -c 'umount .env; mount -o remount,rw,bind .env; echo x > .env; echo x > .jj/repo; mount -t tmpfs t packages'",
  ),
];

const calls: readonly Case[] = [
  inPython(
    "exchange-with-a-protected-file",
    `open("new", "w").write("x")
for name in (b".env", b"AGENTS.md", b".jj", b"packages"):
    os.path.isdir(name) and os.path.isdir(b"swap") or os.makedirs(b"swap", exist_ok=True)
    libc.renameat2(-100, b"swap" if os.path.isdir(name) else b"new", -100, name, 2)`,
  ),
  inPython(
    "write-by-descriptor",
    `for name in (".env", "AGENTS.md"):
    try:
        fd = os.open(name, os.O_RDONLY)
        os.open("/proc/self/fd/%d" % fd, os.O_RDWR)
        os.write(fd, b"x")
    except OSError as problem: print(problem)
    try: os.ftruncate(os.open(name, os.O_RDONLY), 0)
    except OSError as problem: print(problem)`,
  ),
  inPython(
    "map-a-protected-file",
    `import mmap
for access in (mmap.MAP_SHARED, mmap.MAP_PRIVATE):
    try:
        fd = os.open(".env", os.O_RDONLY)
        view = mmap.mmap(fd, 0, flags=access, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        view[0:1] = b"x"
    except (OSError, PermissionError) as problem: print(problem)`,
  ),
  inPython(
    "attributes-of-a-protected-file",
    `for work in (lambda: os.setxattr(".env", "user.x", b"x"), lambda: os.chown(".env", 0, 0), lambda: os.utime(".env"), lambda: os.mkfifo(".jj/pipe"), lambda: os.mknod(".jj/node")):
    try: work()
    except OSError as problem: print(problem)`,
  ),
  inPython(
    "copy-ranges-into-a-protected-file",
    `source = os.open("a.txt", os.O_RDONLY)
for flags in (os.O_RDONLY, os.O_PATH):
    target = os.open(".env", flags)
    for work in (lambda: os.copy_file_range(source, target, 4), lambda: os.sendfile(target, source, 0, 4), lambda: __import__("fcntl").ioctl(target, 0x40049409, source)):
        try: work()
        except OSError as problem: print(problem)`,
  ),
];

const tool = (name: string, path: string | ((testBed: TestBed) => string), more: Partial<Case> = {}): Case =>
  way(
    name,
    (testBed) => {
      const target = typeof path === "string" ? path : path(testBed);
      return testBed.call((files) => files.writeText(target, "planted"));
    },
    more,
  );

const tools: readonly Case[] = [
  tool("tool-writes-a-protected-file", ".env"),
  tool("tool-writes-by-a-detour", "./source/../.env"),
  tool("tool-writes-by-an-absolute-path", (testBed) => testBed.inside(".env")),
  tool("tool-writes-another-case", ".ENV"),
  tool("tool-writes-invisible-characters", ".e\u200bnv", { source: "own" }),
  tool("tool-writes-full-width", "．env", { source: "own" }),
  tool("tool-writes-trailing-dots", ".env. .", { source: "own" }),
  tool("tool-writes-a-stream", ".env::$DATA", { source: "own" }),
  tool("tool-writes-backslashes", "source\\..\\.env", { source: "own" }),
  tool("tool-writes-below-jj", ".jj/working_copy/new/file"),
  tool("tool-plants-a-protected-file", ".git/hooks/pre-commit"),
  tool("tool-plants-hox-settings", ".hox/config.toml"),
  way(
    "tool-writes-through-a-link-to-a-protected-file",
    (testBed) => testBed.call((files) => files.writeText("alias", "planted")),
    {
      plant: (testBed) => {
        symlinkSync(".env", testBed.inside("alias"));
        before.set(testBed, protectedOf(testBed));
      },
    },
  ),
  way(
    "tool-writes-below-a-link-to-a-protected-folder",
    (testBed) => testBed.call((files) => files.writeText("deep/link/planted", "planted")),
    {
      plant: (testBed) => {
        testBed.putInside("deep/x", "x");
        symlinkSync("../.jj", testBed.inside("deep/link"));
        before.set(testBed, protectedOf(testBed));
      },
    },
  ),
];

/** What other forks hold is no pattern, whatever they called it. */
const claims: Case = {
  name: "claimed-names-that-look-like-patterns",
  source: "G7",
  attack: (testBed) =>
    testBed.run(
      "echo x > CLAUDE.md; mkdir .github; echo x > .github/x; echo x > claimed.txt; echo honest > honest.txt; echo honest > source/claimed.txt",
      { exactPaths: { claimed: ["!CLAUDE.md", "!.github", "*", "claimed.txt"] } },
    ),
  judge: (testBed) => {
    const isThere = (path: string): boolean => existsSync(testBed.inside(path));
    if (!isThere("honest.txt") || !isThere("source/claimed.txt"))
      return failed("honest files were taken away");
    const left = ["CLAUDE.md", ".github", "claimed.txt"].filter(isThere);
    return left.length > 0 ? failed(`not protected: ${left.join(", ")}`) : refused;
  },
};

/** So many that a sandbox cannot mount each of them. */
const packages = 1_500;

const manyPackages: Case = {
  name: "protected-files-of-many-packages",
  source: "G12",
  tries: { long: 2, short: 0 },
  impossible: withoutPython,
  plant: (testBed) => {
    for (let at = 0; at < packages; at++)
      for (const name of [".gitignore", "package-lock.json"])
        testBed.putInside(`packages/p${at}/${name}`, `kept ${at}`);
  },
  attack: `cd packages; ${python(`
import mmap
def each(number, name, work):
    try: work("p%d/%s" % (number, name))
    except OSError: pass
def through_mapping(path):
    with open(path, "r+b") as file: mmap.mmap(file.fileno(), 0)[0:4] = b"evil"
def by_folder(path):
    os.unlink(path); os.makedirs(path + "/x")
ways = [
    lambda path: open(path, "w").write("evil"),
    os.unlink,
    lambda path: os.chmod(path, 0o777),
    through_mapping,
    by_folder,
    lambda path: (os.unlink(path), os.symlink("../../a.txt", path)),
    lambda path: os.rename(path, path + ".moved"),
    lambda path: os.rename(os.path.dirname(path), os.path.dirname(path) + "-moved"),
    lambda path: (os.rename(os.path.dirname(path), os.path.dirname(path) + "-file"), open(os.path.dirname(path), "w").write("x")),
]
for number in range(${packages}):
    for name in (".gitignore", "package-lock.json"): each(number, name, ways[number % len(ways)])
print("tried")`)}; echo honest > honest.txt`,
  judge: (testBed) => {
    if (!testBed.seen.includes("tried") || !existsSync(testBed.inside("packages/honest.txt")))
      return failed("the attack did not run");
    for (let at = 0; at < packages; at++)
      for (const name of [".gitignore", "package-lock.json"]) {
        const path = testBed.inside(`packages/p${at}/${name}`);
        const stats = lstatSync(path, { throwIfNoEntry: false });
        if (!stats?.isFile() || (stats.mode & 0o111) !== 0 || readFileSync(path, "utf8") !== `kept ${at}`)
          return failed(`changed: packages/p${at}/${name}`);
      }
    return refused;
  },
};

export const protectedFiles: Family = {
  name: "protected",
  cases: [...shell, ...calls, ...tools, claims, manyPackages],
};
