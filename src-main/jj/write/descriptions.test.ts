import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { toolPath } from "../../config/tools.ts";
import { tempDir } from "../../testing/kit.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";

let test: TestRepository;
afterEach(async () => {
  await test.remove();
  vi.unstubAllEnvs();
});

/** Tasks of a run, which memory knows as whoever schedules the run has read them. */
async function tasks(count: number): Promise<readonly string[]> {
  const { repository } = test;
  const made: string[] = [];
  for (let at = 1; at <= count; at++) {
    const description = `task ${at}\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: open\n`;
    made.push((await repository.newChange({ parents: ["@-"], description })).changeId);
  }
  await repository.changesOfRun("r1");
  return made;
}

async function readDescription(change: string): Promise<string | undefined> {
  return (await test.repository.query(change))[0]?.description;
}

/** Processes and operations that a write takes. */
async function cost<T>(write: () => Promise<T>) {
  const { repository } = test;
  const since = await repository.currentOperation();
  const before = repository.processCount();
  const result = await write();
  const processes = repository.processCount() - before;
  return { result, processes, operations: await repository.operations({ since }) };
}

const working = { status: "in_progress" } as const;

it("writes what waits in one process, and answers each", async () => {
  test = await createTestRepository();
  const { repository } = test;
  const [one = "", two = "", three = "", four = ""] = await tasks(4);
  const since = await repository.currentOperation();
  const { result, processes, operations } = await cost(() =>
    Promise.all([
      repository.setMetadata([{ change: one, patch: working }], { actor: "agent-1" }),
      repository.describe(two, "  two\n\nHox-Status: review", { actor: "agent-2", since }),
      repository.describe(three, "three\n"),
      repository.setMetadata([{ change: four, patch: { status: "open" } }]),
    ]),
  );
  expect(processes).toBe(1);
  expect(operations).toMatchObject([{ actor: "hox", request: null }]);
  const operation = operations[0]?.id;
  expect(result).toEqual([
    { operation },
    { operation, described: true },
    { operation, described: true },
    { operation },
  ]);
  expect(await Promise.all([one, two, three, four].map(readDescription))).toEqual([
    "task 1\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: in_progress\n",
    "  two\n\nHox-Status: review\n",
    "three\n",
    "task 4\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: open\n",
  ]);
});

it("takes one process for thirty-two agents that begin at once, behind the write that came first", async () => {
  test = await createTestRepository();
  const { repository } = test;
  const all = await tasks(32);
  const { processes, operations } = await cost(() =>
    Promise.all([
      repository.setBookmark("held-up", "@-"),
      ...all.map((change, at) =>
        repository.setMetadata([{ change, patch: working }], { actor: `agent-${at + 1}` }),
      ),
    ]),
  );
  expect([processes, operations.length]).toEqual([2, 2]);
  const changes = await repository.changesOf(all);
  expect(changes.map(({ metadata }) => metadata.status)).toEqual(all.map(() => "in_progress"));
});

it("keeps its actor in an operation of one, and never joins a write that may be undone", async () => {
  test = await createTestRepository();
  const { repository } = test;
  const [one = "", two = "", three = "", four = ""] = await tasks(4);
  const actor = "agent-1";
  const { processes, operations, result } = await cost(() =>
    Promise.all([
      repository.setMetadata([{ change: one, patch: working }], { actor }),
      repository.setMetadata([{ change: two, patch: { priority: "high" } }], {
        actor: "hox",
        request: "drag",
      }),
      repository.setMetadata([{ change: three, patch: working }], { actor }),
      repository.describe(four, "said by the user\n", { actor: "hox", request: "edit" }),
    ]),
  );
  expect(processes).toBe(3);
  expect(operations.map((each) => [each.actor, each.request])).toEqual([
    ["hox", "edit"],
    ["hox", "drag"],
    [actor, null],
  ]);
  expect(result.map(({ operation }) => operation)).toEqual([2, 1, 2, 0].map((at) => operations[at]?.id));
  await repository.revertOperation(result[1]?.operation ?? "");
  const changes = await repository.changesOf([one, two, three]);
  expect(changes.map(({ metadata }) => metadata.status)).toEqual(["in_progress", "open", "in_progress"]);
  expect(changes[1]?.metadata.priority).toBeUndefined();
});

it("writes two texts of one change in their order, and texts that an editor would change as they are", async () => {
  test = await createTestRepository();
  const { repository } = test;
  const [one = "", two = "", three = "", four = "", five = "", six = ""] = await tasks(6);
  const odd = {
    [three]: "JJ: no comment\n",
    [four]: "\n\nlate\n",
    [five]: "windows\r\nlines\r\n",
    [six]: "long end\n\n\n",
  };
  const { processes } = await cost(() =>
    Promise.all([
      repository.describe(one, "first\n"),
      repository.describe(two, "two\n"),
      repository.describe(one, "second\n"),
      ...Object.entries(odd).map(([change, text]) => repository.describe(change, text)),
    ]),
  );
  expect(processes).toBe(6);
  expect(await Promise.all([one, two].map(readDescription))).toEqual(["second\n", "two\n"]);
  for (const [change, text] of Object.entries(odd)) expect(await readDescription(change)).toBe(text);
});

it("fails only what fails, and keeps a text that the user wrote since", async () => {
  test = await createTestRepository();
  const { repository, terminal } = test;
  const [one = "", two = "", three = "", gone = ""] = await tasks(4);
  const since = await repository.currentOperation();
  await terminal(["abandon", "--quiet", gone]);
  await terminal(["describe", "--quiet", "-m", "said by the user", two]);
  const [first, second, third, fourth] = await Promise.allSettled([
    repository.setMetadata([{ change: one, patch: working }]),
    repository.describe(two, "two\n", { since }),
    repository.describe(three, "three\n"),
    repository.describe(gone, "gone\n"),
  ]);
  expect([first.status, third.status]).toEqual(["fulfilled", "fulfilled"]);
  expect(second).toMatchObject({ status: "fulfilled", value: { described: false } });
  expect(fourth).toMatchObject({ status: "rejected", reason: { kind: "no-such-revision" } });
  expect(await Promise.all([one, two, three].map(readDescription))).toEqual([
    "task 1\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: in_progress\n",
    "said by the user\n",
    "three\n",
  ]);
});

/** A jj right before whose next `describe` a terminal runs a command, once it is armed. */
async function crossed() {
  const folder = tempDir();
  const [real, armed, wrapper] = [toolPath("jj"), join(folder, "armed"), join(folder, "jj")];
  await writeFile(
    wrapper,
    `#!/bin/sh\ncase "$*" in *" describe "*) mv '${armed}' '${armed}.taken' 2>/dev/null && sh '${armed}.taken' ;; esac\nexec '${real}' "$@"\n`,
  );
  await chmod(wrapper, 0o755);
  vi.stubEnv("HOX_JJ", wrapper);
  test = await createTestRepository();
  return (...args: readonly string[]) =>
    writeFile(
      armed,
      `'${real}' -R '${test.repository.root}' --quiet ${args.map((arg) => `'${arg}'`).join(" ")}\n`,
    );
}

it("loses nothing of a terminal that describes one of them right before jj does", async () => {
  const arm = await crossed();
  const { repository } = test;
  const [one = "", two = "", three = ""] = await tasks(3);
  const since = await repository.currentOperation();
  const words = "said by the user\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: open";
  const write = (status: "in_progress" | "review") =>
    Promise.all([
      repository.setMetadata([{ change: one, patch: { status } }]),
      repository.describe(two, "two\n", { since }),
      repository.setMetadata([{ change: three, patch: { status } }]),
    ]);
  await arm("describe", "-m", words, two);
  const [, kept] = await write("in_progress");
  expect(kept.described).toBe(false);
  expect(await readDescription(two)).toBe(`${words}\n`);
  await arm("describe", "-m", words, one);
  await write("review");
  expect(await readDescription(one)).toBe(`${words.replace("open", "review")}\n`);
  expect((await repository.changesOf([three]))[0]?.metadata.status).toBe("review");
  expect(await repository.query("divergent()")).toEqual([]);
});

it("joins both texts where a terminal describes one of them at the same moment", async () => {
  const arm = await crossed();
  const { repository } = test;
  const [one = "", two = ""] = await tasks(2);
  const now = await repository.currentOperation();
  await arm(
    "describe",
    `--at-op=${now}`,
    "-m",
    "task 1 said anew\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: open",
    one,
  );
  // As if jj had begun both on the same operation.
  await repository.setBookmark("other", "@-");
  await Promise.all([
    repository.setMetadata([{ change: one, patch: working }]),
    repository.setMetadata([{ change: two, patch: working }]),
  ]);
  await repository.converge();
  expect(await readDescription(one)).toBe(
    "task 1 said anew\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: in_progress\n",
  );
  expect((await repository.changesOf([two]))[0]?.metadata.status).toBe("in_progress");
});
