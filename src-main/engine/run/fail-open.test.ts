import { existsSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openJournal } from "../../journal/journal.ts";
import { bent, broken, failing, jjBroken } from "../testing/breaking.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { threeAgents } from "../testing/three-agents-script.ts";

/** Folders that the system does not let go of. */
const held = vi.hoisted(() => ({ which: (_path: string): boolean => false }));
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const rm: typeof real.rm = async (path, options) => {
    if (held.which(String(path)) && existsSync(path))
      throw Object.assign(new Error(`EBUSY: resource busy or locked, rmdir '${path}'`), { code: "EBUSY" });
    return real.rm(path, options);
  };
  return { ...real, rm };
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

describe("what is nice to have is tried again, told, and stops nothing (PLAN-7)", () => {
  it("the log of conversations", async () => {
    const rows = failing(
      forEver,
      (name) => name === "setRows",
      () => broken("the log"),
    );
    fixture = await createFixture({ openJournal: (path, now) => bent(openJournal(path, now), rows.call) });
    await fixture.start();
    expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
    expect(notices(fixture).filter((text) => text.includes("agent-1 says and does"))).toEqual([
      "What agent-1 says and does is not being written down: the log is broken",
    ]);
    // On screen it is there all the same.
    expect(fixture.events.some((event) => event.kind === "conversation" && event.worker === "agent-1")).toBe(
      true,
    );
  }, 300_000);

  it("the log of conversations, when it works again: nothing is missing", async () => {
    const rows = failing(
      3,
      (name, [, worker]) => name === "setRows" && worker === "agent-1",
      () => broken("the log"),
    );
    fixture = await createFixture({ openJournal: (path, now) => bent(openJournal(path, now), rows.call) });
    const one = fixture;
    const run = await one.start();
    expect((await one.until(over)).stage).toBe("complete");
    expect(rows.tried.count).toBeGreaterThan(3);
    expect(notices(one)).toEqual([]);
    const kept = await one.engine.conversation(run, "agent-1");
    expect(kept.map((row) => row.index)).toEqual(kept.map((_, index) => index));
    expect(kept[0]?.kind).toBe("prompt");
  }, 300_000);

  it("the figures of a run, and a word of its orchestrator on what it taught", async () => {
    const figures = failing(
      forEver,
      (name, args) => name === "setMetadata" && patchOf(args).includes("metrics"),
      () => Promise.reject(jjBroken()),
    );
    const silent = { name: "learn", prompt: "[EVENT learn]", steps: [{ say: "I have nothing." }] };
    const root = threeAgents.routes["O-A-1"] ?? [];
    fixture = await createFixture({
      around: (repository) => bent(repository, figures.call),
      script: {
        ...threeAgents,
        routes: {
          ...threeAgents.routes,
          "O-A-1": [...root.filter((scene) => scene.name !== silent.name), silent],
        },
      },
    });
    await fixture.start();
    const run = await fixture.until(over);
    expect(run).toMatchObject({ stage: "complete", failure: null });
    expect(figures.tried.count).toBe(4);
    expect(notices(fixture).join()).toContain("The figures of the run could not be written: jj is broken");
    expect(notices(fixture).join()).toContain("O-A-1 gave no answer to [EVENT learn]: O-A-1 was asked");
    // The word that it is done is no figure.
    const [result] = await fixture.repo.repository.query(run.integration ?? "");
    expect(result?.metadata).toMatchObject({ status: "done" });
    expect(result?.metadata.metrics).toBeUndefined();
  }, 300_000);

  it("the clean-up: what is held stays, a validator's checkout as well as a workspace, and all else goes", async () => {
    const removal = failing(
      forEver,
      (name, [workspace]) => name === "removeWorkspace" && (workspace as { name: string }).name === "agent-1",
      () => Promise.reject(jjBroken()),
    );
    fixture = await createFixture({ around: (repository) => bent(repository, removal.call) });
    const id = await fixture.start();
    await fixture.until((run) => run.stage === "validating");
    held.which = (path) => /\/checkouts\/[^/]+\/[^/]+$/u.test(path);
    const run = await fixture.until(over);
    expect(run).toMatchObject({ stage: "complete", landed: { bookmark: "main" } });
    const log = JSON.stringify(await fixture.engine.conversation(id, "hox"));
    expect(log).toContain("A checkout was left behind: EBUSY");
    expect(removal.tried.count).toBe(4);
    expect(notices(fixture)).toEqual(["The workspace of agent-1 could not be removed: jj is broken"]);
    const { refs } = await fixture.repo.repository.readGraph({ revset: "none()" });
    expect(Object.keys(refs.workspaces)).toEqual(expect.arrayContaining(["agent-1"]));
    expect(Object.keys(refs.workspaces)).not.toContain("agent-2");
  }, 300_000);

  it("recording a pattern", async () => {
    const pattern = failing(
      forEver,
      (name, [change]) => name === "newChange" && JSON.stringify(change).includes("patterns/"),
      () => Promise.reject(jjBroken()),
    );
    fixture = await createFixture({ around: (repository) => bent(repository, pattern.call) });
    await fixture.start();
    expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
    expect(pattern.tried.count).toBe(4);
    expect(notices(fixture).join()).toContain('The pattern "ask-before-naming" was not kept: jj is broken');
  }, 300_000);

  it("the watcher of the operation log: what others do is found by the engine's own reading", async () => {
    const watcher: { fail?: (error: Error) => void } = {};
    fixture = await createFixture({
      around: (repository) =>
        bent(repository, (name, args) => {
          if (name !== "watch") return undefined;
          watcher.fail = args[1] as (error: Error) => void;
          return () => undefined;
        }),
    });
    const one = fixture;
    await one.start();
    await one.until((run) => run.stage !== "idle");
    expect(watcher.fail).toBeDefined();
    watcher.fail?.(jjBroken());
    expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
    expect(notices(one)).toContain("jj is broken");
  }, 300_000);
});
