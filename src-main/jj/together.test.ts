import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { openRepository } from "./open.ts";
import { locateStore, readHeads } from "./process/op-heads.ts";
import type { TestRepository } from "./testing/create-test-repository.ts";
import { createTestRepository } from "./testing/create-test-repository.ts";

let test: TestRepository;
afterEach(() => test.remove());

const eventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 4_800; tries++) {
    if (await holds()) return;
    await pause(25);
  }
  throw new Error("it did not come to hold within 120 s");
};

describe("next to a user's terminal", () => {
  it("nothing is lost when two terminals and the queue write at full speed", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const changes: string[] = [];
    for (let index = 0; index < 12; index++)
      changes.push((await repository.newChange({ parents: ["@-"], description: `${index}\n` })).changeId);
    const seen: string[] = [];
    const errors: Error[] = [];
    const stop = repository.watch(
      (operation) => seen.push(operation),
      (error) => errors.push(error),
    );
    const typing = async (user: string, from: number) => {
      for (let step = 0; step < 10; step++)
        await terminal(["describe", "--quiet", "-m", `${user} ${step}`, changes[from + (step % 4)] ?? ""]);
    };
    const ours = async () => {
      for (let step = 0; step < 10; step++)
        await repository.describe(changes[8 + (step % 4)] ?? "", `queue ${step}\n`);
    };
    await Promise.all([typing("anna", 0), typing("ben", 4), ours()]);
    await repository.idle();
    const operation = await repository.currentOperation();
    await eventually(() => seen.at(-1) === operation);
    stop();
    expect(errors).toEqual([]);
    const graph = await repository.readGraph();
    expect(graph.changes.filter((change) => change.divergent)).toEqual([]);
    const last = (user: string, offset: number) => `${user} ${offset < 2 ? 8 + offset : 4 + offset}\n`;
    for (const [index, change] of changes.entries()) {
      const user = index < 4 ? "anna" : index < 8 ? "ben" : "queue";
      const found = graph.changes.find(({ changeId }) => changeId === change);
      expect(found?.description).toBe(last(user, index % 4));
    }
    expect((await readHeads(await locateStore(repository.root))).length).toBe(1);
    const own = (await repository.operations({ limit: 200 })).filter(({ actor }) => actor === "terminal");
    expect(own.filter(({ description }) => description.startsWith("describe"))).toHaveLength(20);
  });

  it("reports every operation at once and at least the last one of a burst", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const start = await repository.currentOperation();
    const seen: string[] = [];
    const stop = repository.watch(
      (operation) => seen.push(operation),
      (error) => {
        throw error;
      },
    );
    await eventually(() => seen.length === 1);
    expect(seen[0]).toBe(start);
    await terminal(["describe", "--quiet", "-m", "typed"]);
    await eventually(() => seen.length === 2);
    const delta = await repository.readDelta(start, seen[1] ?? "");
    expect(delta.added.map(({ description }) => description)).toEqual(["typed\n"]);
    stop();
    await terminal(["describe", "--quiet", "-m", "unseen"]);
    await pause(100);
    expect(seen).toHaveLength(2);
  });

  it("merges two heads once, without asking", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const one = await repository.newChange({ parents: ["@-"], description: "one\n" });
    const two = await repository.newChange({ parents: ["@-"], description: "two\n" });
    await terminal(["describe", "--quiet", "-m", "ONE", one.changeId]);
    await terminal(["describe", "--quiet", "--at-op=@-", "-m", "TWO", two.changeId]);
    const store = await locateStore(repository.root);
    expect(await readHeads(store)).toHaveLength(2);
    const [first, second] = await Promise.all([repository.readGraph(), repository.readGraph()]);
    expect(second).toEqual(first);
    expect(await readHeads(store)).toEqual([first.operation]);
    const texts = first.changes.map(({ description }) => description);
    expect(texts).toContain("ONE\n");
    expect(texts).toContain("TWO\n");
    const log = await terminal(["op", "log", "--no-graph", "-T", 'description ++ "\\n"']);
    expect(log.match(/reconcile/g)).toHaveLength(1);
    for (const { description } of await repository.operations()) expect(description).not.toMatch(/reconcile/);
  });

  it("repairs divergence that two terminals made", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const made = await repository.newChange({
      parents: ["@-"],
      description: "task\n",
      files: { "a.txt": "one\ntwo\nthree\nfour\nfive\n" },
    });
    const other = await repository.newChange({ parents: ["@-"], description: "other\n" });
    await terminal(["describe", "--quiet", "-m", "told anew", made.changeId]);
    await terminal(["rebase", "--quiet", "--at-op=@-", "-r", made.changeId, "-o", other.changeId]);
    const before = await repository.readGraph();
    expect(before.changes.filter(({ divergent }) => divergent)).toHaveLength(2);
    await expect(repository.describe(made.changeId, "x")).rejects.toMatchObject({ kind: "divergent" });
    const { remaining, operation } = await repository.converge({ actor: "hox" });
    expect(remaining).toEqual([]);
    const [repaired, ...more] = await repository.query(made.changeId);
    expect(more).toEqual([]);
    expect(repaired?.description).toBe("told anew\n");
    expect(await repository.query(`${other.changeId}+ & ${made.changeId}`)).toHaveLength(1);
    // A viewer learns from the delta alone that the survivor is not divergent any more.
    const delta = await repository.readDelta(before.operation, operation);
    expect(delta.removed).toHaveLength(2);
    expect(delta.added.map(({ divergent }) => divergent)).toEqual([false]);
  });

  it("repairs a change of a run that a terminal described without its metadata at the same moment", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const description = "task\n\nHox-Kind: task\nHox-Run: r1\n";
    const { changeId } = await repository.newChange({ parents: ["@-"], description });
    await repository.setMetadata([{ change: changeId, patch: { status: "in_progress" } }]);
    await terminal(["describe", "--quiet", "--at-op=@-", "-m", "told anew", changeId]);
    expect(await repository.query("divergent()")).toHaveLength(2);
    expect((await repository.converge({ run: "r1", crossed: true })).remaining).toEqual([]);
    const repaired = await repository.commitsNamed(changeId);
    expect(repaired).toMatchObject([{ divergent: false, metadata: { status: "in_progress" } }]);
    expect(repaired[0]?.description).toMatch(/^told anew\n/u);
  });

  it("looks for divergence again only after others have written", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const description = "one\n\nHox-Kind: task\nHox-Run: r1\n";
    const { changeId } = await repository.newChange({ parents: ["@-"], description });
    await repository.changesOfRun("r1");
    const looked = async () => {
      const before = repository.processCount();
      expect(await repository.converge()).toEqual({
        remaining: [],
        operation: await repository.currentOperation(),
      });
      return repository.processCount() - before;
    };
    expect(await looked()).toBe(1);
    await repository.setMetadata([{ change: changeId, patch: { priority: "high" } }]);
    expect(await looked()).toBe(0);
    await terminal(["describe", "--quiet", "-m", description, changeId]);
    expect(await looked()).toBe(1);
  });

  it("repairs descendants after their divergent parents, when they can be merged", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const make = async (parents: readonly string[], description: string) =>
      (await repository.newChange({ parents, description })).changeId;
    const one = await make(["@-"], "one\n\nHox-Status: open\n");
    const other = await make(["@-"], "other\n\nHox-Status: open\n");
    const above = await make([one, other], "above\n\nHox-Status: open\n");
    for (const change of [one, other]) {
      await repository.setMetadata([{ change, patch: { priority: "high" } }]);
      await terminal(["describe", "--quiet", "--at-op=@-", "-m", "told anew\n\nHox-Status: open", change]);
    }
    expect((await repository.query("divergent()")).length).toBeGreaterThan(6);
    expect((await repository.converge()).remaining).toEqual([]);
    expect(await repository.query("divergent()")).toEqual([]);
    for (const change of [one, other, above]) expect(await repository.query(change)).toHaveLength(1);
  });

  it("lets other writes in between the repairs of several changes", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const make = async (description: string) =>
      (await repository.newChange({ parents: ["@-"], description })).changeId;
    const other = await make("other\n");
    for (const name of ["one", "two", "three"]) {
      const change = await make(name);
      await terminal(["describe", "--quiet", "-m", "told anew", change]);
      await terminal(["rebase", "--quiet", "--at-op=@-", "-r", change, "-o", other]);
      await repository.query("none()");
    }
    const order: string[] = [];
    const repaired = repository
      .converge()
      .then(({ remaining }) => order.push(`repaired ${remaining.length}`));
    await repository.describe(other, "another\n").then(() => order.push("described"));
    await repaired;
    expect(order).toEqual(["described", "repaired 0"]);
    expect(await repository.query("divergent()")).toEqual([]);
  });

  it("merges descriptions that the user and the queue changed at the same moment", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const { changeId } = await repository.newChange({
      parents: ["@-"],
      description: "task\n\nHox-Status: open\n",
    });
    await repository.setMetadata([{ change: changeId, patch: { priority: "high" } }]);
    await terminal(["describe", "--quiet", "--at-op=@-", "-m", "told anew\n\nHox-Status: open", changeId]);
    expect((await repository.converge()).remaining).toEqual([]);
    expect((await repository.query(changeId)).map(({ description }) => description)).toEqual([
      "told anew\n\nHox-Status: open\nHox-Priority: high\n",
    ]);
    // Both change the same words: theirs go first.
    await repository.describe(changeId, "mine\n");
    await terminal(["describe", "--quiet", "--at-op=@-", "-m", "theirs", changeId]);
    expect((await repository.converge()).remaining).toEqual([]);
    expect((await repository.query(changeId)).map(({ description }) => description)).toEqual([
      "theirs\n\nmine\n",
    ]);
    // Two people do: which of the two holds is theirs to say, and both stay.
    await terminal(["describe", "--quiet", "-m", "anna", changeId]);
    await terminal(["describe", "--quiet", "--at-op=@-", "-m", "ben", changeId]);
    expect((await repository.converge()).remaining).toEqual([changeId]);
    const both = await repository.query(`change_id(${changeId})`);
    expect(both.map(({ description }) => description).sort()).toEqual(["anna\n", "ben\n"]);
  });

  it("repairs a stack that the user described from below while the queue moved what is above", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const make = async (parent: string, name: string) => {
      const files = { [`${name}.txt`]: `${name}\n` };
      return (await repository.newChange({ parents: [parent], description: `${name}\n`, files })).changeId;
    };
    const task = await make("@-", "task");
    const above = await make(task, "above");
    const top = await make(above, "top");
    const other = await make("@-", "other");
    await repository.rebase({ source: above, onto: [other] });
    await terminal(["describe", "--quiet", "--at-op=@-", "-m", "task, told anew", task]);
    await repository.query("all()");
    // Before that is mended, the two cross again.
    await repository.setMetadata([{ change: task, patch: { status: "done" } }]);
    await terminal(["describe", "--quiet", "--at-op=@-", "-m", "task, told twice", task]);
    expect((await repository.query("divergent()")).length).toBeGreaterThan(4);
    expect((await repository.converge()).remaining).toEqual([]);
    expect(await repository.query("divergent()")).toEqual([]);
    const [written] = await repository.query(task);
    expect(written?.description).toBe("task, told twice\n\nHox-Status: done\n");
    for (const [change, below] of [
      [above, other],
      [top, above],
    ])
      expect((await repository.query(`${change}-`)).map(({ changeId }) => changeId)).toEqual([below]);
    expect(await repository.listFiles(top)).toEqual(expect.arrayContaining(["above.txt", "top.txt"]));
  });

  it("keeps every description when the user describes tasks that the queue is ordering", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const { changeId } = await repository.newChange({ parents: ["@-"], description: "task\n" });
    const ordering = async () => {
      for (let step = 0; step < 12; step++)
        await repository.setMetadata([{ change: changeId, patch: { rank: `a${step}` } }]);
    };
    let written = 0;
    const typing = async () => {
      for (let step = 1; step <= 8; step++) {
        const text = await terminal([
          "log",
          "--no-graph",
          "-r",
          `change_id(${changeId})`,
          "-T",
          "description",
        ]);
        const rank = /Hox-Rank: .*/.exec(text)?.[0] ?? "Hox-Rank: none";
        // While the two commits of a collision wait for their repair, a user's command is refused by jj.
        await terminal(["describe", "--quiet", "-m", `told ${step}\n\n${rank}`, changeId]).then(
          () => {
            written = step;
          },
          () => {},
        );
      }
    };
    await Promise.all([
      ordering().catch((error) => expect(error).toMatchObject({ kind: "divergent" })),
      typing(),
    ]);
    await repository.converge();
    const left = await repository.query(`change_id(${changeId})`);
    expect(left.map(({ description }) => description).join()).toContain(`told ${written}`);
  });

  it("shares one queue between two handles on one repository", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    const second = await openRepository(repository.root);
    const { changeId } = await repository.newChange({ parents: ["@-"], description: "x\n" });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? repository : second).describe(changeId, `told ${index}\n`),
      ),
    );
    expect((await repository.query(changeId))[0]?.description).toBe("told 19\n");
    const log = await terminal(["op", "log", "--no-graph", "-T", 'description ++ "\\n"']);
    expect(log).not.toContain("reconcile");
    await second.close();
  });

  it("updates the user's stale folder before it writes there", async () => {
    test = await createTestRepository();
    const { repository, terminal } = test;
    await test.write("typed.txt", "unsaved\n");
    const { changeId } = (await repository.query("@-"))[0] ?? { changeId: "" };
    // An empty change that is described counts as written at that moment, by jj's rules, and on the other side it is not.
    const earlier = ["--config", "debug.commit-timestamp=2001-02-03T04:05:06Z"];
    await terminal(["describe", "--quiet", "-m", "below", "@", "--ignore-working-copy", ...earlier]);
    await terminal(["file", "delete", "--quiet", "-r", changeId, "readme.md", "--ignore-working-copy"]);
    await repository.rebase({ revisions: "@", onto: ["root()"] });
    const [own] = await repository.query("@");
    expect(await repository.listFiles(own?.commitId ?? "")).toEqual(["typed.txt"]);
    expect(own).toMatchObject({ description: "below\n", divergent: false });
  });
});
