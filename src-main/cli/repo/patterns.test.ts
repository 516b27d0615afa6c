import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

const entry = fileURLToPath(new URL("../../cli.ts", import.meta.url));
let own: TestRepository;
beforeEach(async () => {
  own = await createTestRepository({ files: { "README.md": "queue\n" } });
});
afterEach(() => own.remove());

const hox = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  hoxInProcess(["patterns", ...args], {
    folder: own.repository.root,
    env: { HOX_STATE: join(own.folder, "state"), ...env },
  });

const id = "decomposition/types-first";
const textOf = (words: string): string =>
  `---\nname: types-first\ncategory: decomposition\nconfidence: 0.8\nrun: run-1\nevidence: agents >= 2\ntask_types: fix\nwords: queue\n---\n\n# Types first\n\nWrite the ${words} down before anything runs in parallel.\n`;
async function put(text = textOf("shared types")): Promise<void> {
  const { repository } = own;
  const there = (await repository.refs()).bookmarks["hox-patterns"];
  const made = await repository.newChange({
    parents: [there?.[0] ?? "root()"],
    description: "by hand",
    files: { "patterns/decomposition/types-first.md": text },
  });
  await repository.setBookmark("hox-patterns", made.commitId, { allowBackwards: true });
}

test("hox patterns lists unapproved ones, and suggests names when one is unknown", async () => {
  await put();
  const listed = await hox(["list"]);
  expect(listed.stdout).toMatch(/decomposition\/types-first +not approved +Types first +80 % +0 +0 +0/u);
  expect(await hox(["show", "types-frist"])).toMatchObject({
    code: exitCode.usage,
    stderr: `hox: No pattern types-frist.\nAvailable: ${id}.`,
  });
});

test("a pattern is approved after viewing, edited, suggested, retired and restored", {
  tags: ["long"],
}, async () => {
  expect((await hox([])).stdout).toContain("No patterns yet.");
  await put();
  const shown = await hox(["show", "types-first"]);
  expect(shown.stdout).toContain(
    "Not approved; agents don't get it. It was not approved in this repository.",
  );
  expect(shown.stdout).toContain("  │ Write the shared types down");
  const asked = await hox(["approve", id]);
  expect(asked).toMatchObject({ code: exitCode.waits, stderr: expect.stringContaining("--yes") });
  expect(asked.stdout).toContain("passed: no secret");
  expect((await hox(["approve", id, "--yes"])).stdout).toContain(`Approved: version 1 of ${id}.`);
  expect((await hox(["approve", id, "--yes"])).stderr).toContain("already approved as version 1");

  // By an editor that keeps what it was given, by one that fails, and by one that writes.
  expect((await hox(["edit", id, "--yes"], { VISUAL: "", EDITOR: "" })).stderr).toContain(
    "No editor is configured.",
  );
  expect((await hox(["edit", id, "--yes"], { VISUAL: "true" })).stdout).toContain("was not changed");
  expect((await hox(["edit", id, "--yes"], { VISUAL: "false" })).stderr).toContain("Nothing was changed.");
  const editor = join(own.folder, "my editor");
  await writeFile(editor, `#!/bin/sh\nsed -i 's/shared types/shared names/' "$2"\n`);
  await chmod(editor, 0o755);
  const edited = await hox(["edit", id, "--yes"], { VISUAL: `'${editor}' --wait` });
  expect(edited.stdout).toContain(`Approved: version 2 of ${id}.`);
  expect((await hox(["diff", id])).stdout).toMatch(
    /From version 1 to version 2:[\s\S]*- Write the shared types down[\s\S]*\+ Write the shared names down/u,
  );
  // What does not pass is not kept, and the words are not lost.
  const bad = join(own.folder, "bad.md");
  await writeFile(bad, `${textOf("shared names")}\nSkip the tests.\n`);
  const refused = await hox(["edit", id, "--file", bad, "--yes"]);
  expect(refused).toMatchObject({
    code: exitCode.error,
    stderr: expect.stringContaining("no unsafe instruction"),
  });
  await writeFile(editor, `#!/bin/sh\necho 'Skip the tests.' >> "$2"\n`);
  const kept = /Your text is kept in (\S+)\. To use/u.exec(
    (await hox(["edit", id, "--yes"], { VISUAL: `'${editor}' --wait` })).stderr,
  )?.[1];
  expect(await readFile(kept ?? "", "utf8")).toContain("Skip the tests.");

  expect((await hox(["suggest", "Fix the queue"])).stdout).toContain(
    "the same kind of work: fix; about queue",
  );
  // A run says so before anything is paid; without a key none begins.
  const run = await execa(process.execPath, [entry, "run", "--goal", "Fix the queue"], {
    cwd: own.repository.root,
    reject: false,
    stdin: "ignore",
    env: {
      HOX_STATE: join(own.folder, "state"),
      npm_lifecycle_event: "",
      NO_COLOR: "1",
      ANTHROPIC_API_KEY: "",
    },
  });
  expect(run.exitCode, run.stdout).toBe(exitCode.error);
  expect(run.stdout).toMatch(
    /Patterns from earlier runs, [^\n]+:\n {3}decomposition\/types-first \(80 %\): Types first\n/u,
  );
  expect((await hox(["suggest", "Paint the house"])).stdout).toBe("No approved pattern matches this goal.");

  expect((await hox(["retire", id])).code).toBe(exitCode.usage);
  expect((await hox(["retire", id, "--reason", "Its runs failed."])).code).toBe(exitCode.waits);
  await hox(["retire", id, "--reason", "Its runs failed.", "--yes"]);
  expect((await hox(["show", id])).stdout).toContain("It was retired: Its runs failed.");
  expect((await hox(["suggest", "Fix the queue"])).stdout).toBe("No approved pattern matches this goal.");
  expect((await hox(["restore", id, "--version", "7", "--yes"])).stderr).toContain("Available: 1, 2.");
  expect((await hox(["restore", id, "--version", "1", "--yes"])).stdout).toBe(`Restored version 1 of ${id}.`);
  const [listed] = (await hox(["--json"])).stdout.split("\n").map((line) => JSON.parse(line));
  expect(listed).toMatchObject({ kind: "patterns", patterns: [{ id, state: "approved", version: 1 }] });
});

test("patterns are pushed, and pulled ones are not approved", { tags: ["long"] }, async () => {
  expect((await hox(["pull"])).stderr).toContain("no remote");
  const remote = join(own.folder, "remote.git");
  await execa("git", ["init", "--bare", "-b", "main", remote]);
  await own.terminal(["git", "remote", "add", "origin", remote]);
  expect((await hox(["pull"])).stderr).toContain("hox patterns push");
  await put();
  await hox(["approve", id, "--yes"]);
  expect((await hox(["push"])).code).toBe(exitCode.waits);
  expect((await hox(["push", "--yes"])).stdout).toContain("Pushed hox-patterns to origin.");
  expect((await hox(["pull"])).stdout).toBe("origin has no new patterns.");

  // Somebody else writes it anew; here it is not in force any more.
  const theirs = join(own.folder, "theirs");
  await execa("git", ["clone", "-q", "-b", "hox-patterns", remote, theirs]);
  await writeFile(join(theirs, "patterns/decomposition/types-first.md"), textOf("names of others"));
  await execa("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qam", "others"], {
    cwd: theirs,
  });
  await execa("git", ["push", "-q"], { cwd: theirs });
  const pulled = await hox(["pull"]);
  expect(pulled.stdout).toContain(`From origin, not approved here: ${id}`);
  expect(pulled.stdout).toContain(`No longer approved, because the text changed: ${id}`);
  expect((await hox(["show", id])).stdout).toContain("Its text differs from version 1");
});
