import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { lfsPointerText } from "#shared/domain/files/lfs-pointer.ts";
import { initInGitRepository } from "../init.ts";
import { openRepository } from "../open.ts";
import type { Repository } from "../ports/repository-interface.ts";
import { createGitRepository, type GitRepository } from "../testing/create-git-repository.ts";

let repo: GitRepository;
let opened: Repository | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
  await repo.remove();
});

const pointerTo = (content: string): string =>
  lfsPointerText({ oid: createHash("sha256").update(content).digest("hex"), size: content.length });

/** What git-lfs does to a file on its way in and out, for machines that do not have it: a pointer stands for content in `.git/lfs`. */
const filter = `#!/bin/sh
store="$(git rev-parse --git-common-dir)/lfs/objects"
work=$(mktemp)
cat > "$work"
[ -s "$work" ] || exit 0
if [ "$1" = smudge ]; then
  oid=$(sed -n 's/^oid sha256://p' "$work")
  cat "$store/$(echo $oid | cut -c1-2)/$(echo $oid | cut -c3-4)/$oid" || exit 1
elif head -c 42 "$work" | grep -q '^version https://git-lfs'; then
  cat "$work"
else
  oid=$(sha256sum "$work" | cut -d' ' -f1)
  place="$store/$(echo $oid | cut -c1-2)/$(echo $oid | cut -c3-4)"
  mkdir -p "$place" && cp "$work" "$place/$oid"
  printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' $oid $(($(wc -c < "$work")))
fi
rm "$work"
`;

it("LFS files are content in the user's folder and a pointer in every commit, whatever agents write over them", {
  tags: ["long"],
}, async () => {
  repo = await createGitRepository({ files: { "a.txt": "a\n" } });
  const program = join(repo.folder, "lfs-filter");
  await writeFile(program, filter);
  await chmod(program, 0o755);
  await writeFile(
    join(repo.folder, "gitconfig"),
    `[filter "lfs"]\nclean = ${program} clean\nsmudge = ${program} smudge\nrequired = true\n`,
  );
  const before = "picture\0".repeat(1_000);
  await repo.write(".gitattributes", "[attr]big filter=lfs diff=lfs -text\n*.png big\n");
  await repo.write("kept/.gitattributes", "*.dat filter=lfs\n");
  await repo.write("art/a.png", before);
  await repo.write("kept/a.dat", before);
  await repo.write("a.dat", before);
  await repo.git("add", ".");
  await repo.git("commit", "--quiet", "-m", "with large files");
  await repo.write("a.txt", "mine\n");
  const look = async () => ({
    ...(await repo.look()),
    settings: await repo.git("config", "--local", "--list"),
    content: await readFile(join(repo.root, "art/a.png"), "utf8"),
  });
  // What only the repository names does not run, and the user's own does.
  const planted = join(repo.folder, "planted");
  await repo.git("config", "filter.lfs.smudge", `touch ${planted}; cat`);
  const untouched = await look();
  expect(untouched.status).toBe(" M a.txt");
  const words = await initInGitRepository(repo.root);
  expect(words).toEqual([
    expect.stringMatching(/^2 files are stored in Git LFS \(art\/a\.png, kept\/a\.dat\)/u),
  ]);
  expect(await look()).toEqual(untouched);

  const repository = await openRepository(repo.root);
  opened = repository;
  const from = await repo.git("rev-parse", "main");
  expect(await repository.lfsFiles(from)).toEqual(["art/a.png", "kept/a.dat"]);
  const { changeId } = await repository.newChange({ parents: ["main"], description: "Work\n" });
  const folder = join(repo.folder, "agent");
  const { workspace } = await repository.addWorkspace({
    name: "agent",
    folder,
    change: changeId,
    edit: true,
  });
  const inAgent = (path: string) => readFile(join(folder, path), "utf8");
  expect(await inAgent("art/a.png")).toBe(pointerTo(before));

  const drawn = "drawn\0".repeat(1_000);
  await writeFile(join(folder, "art/a.png"), drawn);
  await chmod(join(folder, "art/a.png"), 0o755);
  await mkdir(join(folder, "new"));
  await writeFile(join(folder, "new/b.png"), drawn);
  await writeFile(join(folder, "new/empty.png"), "");
  await writeFile(join(folder, "new/b.dat"), drawn);
  const saved = await workspace.snapshot();
  expect(saved).toMatchObject({
    changeId,
    hasChanged: true,
    paths: ["art/a.png", "new/b.dat", "new/b.png", "new/empty.png"],
  });
  for (const path of ["art/a.png", "new/b.png"]) expect(await inAgent(path)).toBe(pointerTo(drawn));
  expect((await stat(join(folder, "art/a.png"))).mode & 0o777).toBe(0o755);
  expect(await inAgent("new/b.dat")).toBe(drawn);
  expect(await repository.lfsContent(saved.commitId, saved.paths)).toEqual([]);
  expect(await workspace.snapshot()).toMatchObject({ hasChanged: false, commitId: saved.commitId });
  // The same content again is no change.
  await writeFile(join(folder, "kept/a.dat"), before);
  const described = await workspace.describe(changeId, "Draw it anew\n");
  expect(described).toMatchObject({ description: "Draw it anew\n", paths: saved.paths });
  // What somebody else recorded is found.
  const bad = await repository.newChange({
    parents: ["main"],
    description: "Bad\n",
    files: { "x.png": drawn },
  });
  expect(await repository.lfsContent(bad.commitId, ["x.png", "a.txt"])).toMatchObject([{ path: "x.png" }]);

  await repository.moveBranch({ branch: "main", from, to: described.commitId });
  expect(await look()).toEqual({
    ...untouched,
    branches: [`refs/heads/main ${described.commitId}`],
    content: drawn,
  });
  const landed = await repo.git("ls-tree", "-r", "-l", "main", "art", "new");
  expect(landed.split("\n").map((line) => line.split(/ +/u)[3]?.replace("\t", " "))).toEqual([
    `${pointerTo(drawn).length} art/a.png`,
    `${drawn.length} new/b.dat`,
    `${pointerTo(drawn).length} new/b.png`,
    "0 new/empty.png",
  ]);
  await repository.moveBranch(
    { branch: "main", from: described.commitId, to: from },
    { keepsUnreachable: true },
  );
  expect(await look()).toEqual(untouched);
  expect(existsSync(planted)).toBe(false);

  // Content that nobody has: Git stops in the middle, and what it wrote until then goes.
  const lost = await repository.newChange({
    parents: ["main"],
    description: "Lost\n",
    files: {
      "0/first.txt": "first\n",
      "b.txt": "b\n",
      "kept/.gitattributes": "*.dat filter=lfs\n\n",
      "z.png": lfsPointerText({ oid: "0".repeat(64), size: 1 }),
    },
  });
  await expect(repository.moveBranch({ branch: "main", from, to: lost.commitId })).rejects.toMatchObject({
    kind: "in-the-way",
    remedy: expect.stringContaining("git lfs fetch"),
  });
  expect(await look()).toEqual(untouched);
  expect(existsSync(join(repo.root, "z.png"))).toBe(false);
});
