import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const sources = join(import.meta.dirname, "..");
/** Of Git 2; an older one is refused. */
const oldestMinor = 34;

/**
 * Each option that Hox gives to git, with the minor release of Git 2 that has it first (0: it is older than Git 2), or `jj`
 * where it is one of jj's. From the release notes, and tried with 2.34 itself. Whoever uses another one looks that up and
 * adds it.
 */
const since: Readonly<Record<string, number | "jj">> = {
  "--absolute-git-dir": 13,
  "--add": 0,
  "--batch": 0,
  "--buffer": 6,
  "--cached": 0,
  "--color": "jj",
  "--config": "jj",
  "--config-file": "jj",
  "--at-op": "jj",
  "--batch-check": 0,
  "--colocate": "jj",
  "--contains": 7,
  "--create-reflog": 6,
  "--deleted": 0,
  "--delta-base-offset": 0,
  "--empty": 0,
  "--exclude-standard": 0,
  "--force": 0,
  "--force-remove": 0,
  "--format": 0,
  "--full-tree": 0,
  "--get": 0,
  "--get-all": 0,
  "--git-dir": 0,
  "--ignore-working-copy": "jj",
  "--index-info": 0,
  "--list": 0,
  "--literal-pathspecs": 0,
  "--max-count": 0,
  "--merged": 7,
  "--missing": 16,
  "--missing-ok": 0,
  "--modified": 0,
  "--name-only": 0,
  "--no-colocate": "jj",
  "--no-index": 0,
  "--no-object-names": 22,
  "--no-pager": 0,
  "--no-renames": 0,
  "--no-sparse-checkout": 0,
  "--no-tags": 0,
  "--no-verify": 0,
  "--no-write-fetch-head": 29,
  "--null": 0,
  "--others": 0,
  "--path": 0,
  "--objects": 0,
  "--parents": 0,
  // Of `git worktree list`.
  "--porcelain": 7,
  "--quiet": 0,
  "--ref": 0,
  "--refresh": 0,
  "--remove": 0,
  "--replace": 0,
  "--reset": 0,
  "--revs": 0,
  "--shallow": 0,
  "--show-origin": 8,
  "--show-scope": 26,
  "--stdin": 0,
  "--stdout": 0,
  "--strategy": 0,
  "--threads": 0,
  "--type": 18,
  "--verify": 0,
  "--version": 0,
  "--work-tree": 0,
  "--bookmark": "jj",
  "--branch": "jj",
  "--dry-run": "jj",
  "--remote": "jj",
  "-R": "jj",
  "-T": "jj",
  // Of `git init`.
  "-b": 28,
  "-c": 0,
  "-d": 0,
  "-l": 0,
  "-m": 0,
  "-n": 0,
  "-q": 0,
  "-r": 0,
  "-u": 0,
  "-v": 0,
  "-z": 0,
};

/** Commands and placeholders that came later, by their names as an argument would have them. */
const later = [
  ...["backfill", "diff-pairs", "for-each-repo", "last-modified", "merge-tree", "replay"],
  ...["ahead-behind", "is-base", "reflog-list", "scalar"],
];

/** Sources that start git: nothing else in Hox does. */
const starters = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|[\\/]testing[\\/]/u.test(path))
  .map((path) => ({ path, text: readFileSync(join(sources, path), "utf8") }))
  .filter(({ path, text }) => /from "[^"]*git-process\.ts"/u.test(text) || path.endsWith("git-process.ts"));

test("every option that Hox gives to git is known to Git 2.34", () => {
  expect(starters.length).toBeGreaterThan(8);
  const seen = new Set<string>();
  for (const { path, text } of starters) {
    for (const [, option = ""] of text.matchAll(/["`](--?[a-zA-Z][a-zA-Z-]*)/gu)) {
      expect(since, `${option} in ${path}: which Git has it first?`).toHaveProperty([option]);
      seen.add(option);
    }
    const used = later.filter((name) => new RegExp(`["(]${name}[":]`, "u").test(text));
    expect(used, path).toEqual([]);
  }
  for (const [option, minor] of Object.entries(since)) {
    expect(seen, `${option} is not used any more`).toContain(option);
    if (minor !== "jj") expect(minor, option).toBeLessThanOrEqual(oldestMinor);
  }
});
