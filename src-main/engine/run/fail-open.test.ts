import { existsSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openJournal } from "../../journal/journal.ts";
import { bent, broken, failing, jjBroken } from "../testing/breaking.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { threeAgents } from "../testing/three-agents-script.ts";

/** Folders that the system does not let go of. */
const held = vi.hoisted(() => ({ which: (_path: string): boolean => false }));
vi.mock("../../disk/remove-tree.ts", async (original) => {
  const real = await original<typeof import("../../disk/remove-tree.ts")>();
  const removeTree: typeof real.removeTree = async (path) => {
    if (held.which(path) && existsSync(path))
      throw Object.assign(new Error(`EBUSY: resource busy or locked, rmdir '${path}'`), { code: "EBUSY" });
    return real.removeTree(path);
  };
  return { ...real, removeTree };
});

let fixture: Fixture | null = null;
afterEach(async () => {
  held.which = () => false;
  await fixture?.remove();
  fixture = null;
});

const notices = (one: Fixture): readonly string[] =>
  one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
const forEver = Number.POSITIVE_INFINITY;
const patchOf = (args: readonly unknown[]): string => JSON.stringify(args[0]);

describe("optional work is retried, reported, and stops nothing (PLAN-7)", () => {
  it("the log, the figures, a pattern, the clean-up and the watcher, each failing permanently", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    const rows = failing(
      forEver,
      (name, [, worker]) => name === "setRows" && worker !== "hox",
      () => broken("the log"),
    );
    const figures = failing(
      forEver,
      (name, args) => name === "setMetadata" && patchOf(args).includes("metrics"),
      () => Promise.reject(jjBroken()),
    );
    const pattern = failing(
      forEver,
      (name, [change]) => name === "newChange" && JSON.stringify(change).includes("patterns/"),
      () => Promise.reject(jjBroken()),
    );
    const removal = failing(
      forEver,
      (name, [workspace]) => name === "removeWorkspace" && (workspace as { name: string }).name === "agent-1",
      () => Promise.reject(jjBroken()),
    );
    // What others do is found by the engine's own reading from then on.
    const watcher: { fail?: (error: Error) => void } = {};
    fixture = await createFixture({
      openJournal: (path, now) => bent(openJournal(path, now), rows.call),
      around: (repository) =>
        bent(repository, (name, args) => {
          if (name !== "watch")
            return figures.call(name, args) ?? pattern.call(name, args) ?? removal.call(name, args);
          watcher.fail = args[1] as (error: Error) => void;
          return () => undefined;
        }),
    });
    const one = fixture;
    const id = await one.start();
    await one.until((run) => run.stage !== "idle");
    watcher.fail?.(new Error("nobody watches"));
    await one.until((run) => run.stage === "validating");
    held.which = (path) => /\/checkouts\/[^/]+\/[^/]+$/u.test(path);
    const run = await one.until(over);
    expect(run).toMatchObject({ stage: "complete", failure: null, landed: { bookmark: "main" } });

    const otherNotices = notices(one).filter(
      (text) => !/^The transcript of (?!agent-1 )\S+ can't be written/u.test(text),
    );
    expect(otherNotices.toSorted()).toEqual([
      "The metrics of the run could not be written: jj is broken",
      'The pattern "ask-before-naming" was not saved: jj is broken',
      "The transcript of agent-1 can't be written: the log is broken",
      "The workspace of agent-1 could not be removed: jj is broken",
      "nobody watches",
    ]);
    // On screen it is there all the same.
    expect(one.events.some((event) => event.kind === "conversation" && event.worker === "agent-1")).toBe(
      true,
    );
    expect([figures, pattern, removal].map(({ tried }) => tried.count)).toEqual([4, 4, 4]);
    // The word that it is done is no figure.
    const [result] = await one.repo.repository.query(run.integration ?? "");
    expect(result?.metadata).toMatchObject({ status: "done" });
    expect(result?.metadata.metrics).toBeUndefined();
    // What is held stays, a validator's checkout as well as a workspace, and all else goes.
    const log = JSON.stringify(await one.execute("run.conversation", { run: id, worker: "hox" }));
    expect(log).toContain("A temporary checkout could not be removed: EBUSY");
    const { refs } = await one.repo.repository.readGraph({ revset: "none()" });
    expect(Object.keys(refs.workspaces)).toEqual(expect.arrayContaining(["agent-1"]));
    expect(Object.keys(refs.workspaces)).not.toContain("agent-2");
  });

  it("the log, when it works again: nothing is missing; and an orchestrator's summary of what the run taught", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    const rows = failing(
      3,
      (name, [, worker]) => name === "setRows" && worker === "agent-1",
      () => broken("the log"),
    );
    const silent = { name: "learn", prompt: "[EVENT learn]", steps: [{ say: "I have nothing." }] };
    const root = threeAgents.routes["O-A-1"] ?? [];
    fixture = await createFixture({
      openJournal: (path, now) => bent(openJournal(path, now), rows.call),
      script: {
        ...threeAgents,
        routes: {
          ...threeAgents.routes,
          "O-A-1": [...root.filter((scene) => scene.name !== silent.name), silent],
        },
      },
    });
    const one = fixture;
    const id = await one.start();
    expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
    expect(rows.tried.count).toBeGreaterThan(3);
    expect(notices(one)).toEqual([
      expect.stringContaining("O-A-1 did not answer [EVENT learn]: O-A-1 was asked"),
    ]);
    const kept = await one.execute("run.conversation", { run: id, worker: "agent-1" });
    expect(kept.map((row) => row.index)).toEqual(kept.map((_, index) => index));
    expect(kept[0]?.kind).toBe("prompt");
  });
});
