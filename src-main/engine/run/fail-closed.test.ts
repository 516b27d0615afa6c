import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Journal, openJournal } from "../../journal/journal.ts";
import { eventually } from "../../testing/kit.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import { recordedState } from "../recorded-state.ts";
import { bent, bentRepository, broken, failing, jjBroken } from "../testing/breaking.ts";
import { agreeable, createFixture, type Fixture, over } from "../testing/run-fixture.ts";

let fixture: Fixture | null = null;

const notices = (one: Fixture): readonly string[] =>
  one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
/** Its trouble is on the table, and it stands still until a user answers. */
async function stopsFor(one: Fixture, worker: string, words: RegExp) {
  const card = await one.card("trouble");
  expect(card).toMatchObject({ kind: "trouble", worker, detail: expect.stringMatching(words) });
  const asked = () => one.standIn.requests().filter((request) => request.seen.role === worker).length;
  const before = asked();
  await pause(300);
  expect(asked()).toBe(before);
}

/** A user retries whatever had trouble, and the run comes to the end that it would have come to without it. */
async function retriedToTheEnd(one: Fixture) {
  one.answers = { ...agreeable, trouble: () => ({ kind: "retry" }) };
  for (const item of one.engine.state().inbox)
    if (item.kind === "trouble") await one.execute("inbox.answer", { ...item, decision: { kind: "retry" } });
  expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  const landed = (path: string) => one.repo.terminal(["file", "show", "-r", "main", path]);
  expect(await landed("src/contract.txt")).toBe("id: user_id # kept by the store\nname: text");
  expect(await landed("src/index.txt")).toBe("the store\nthe view");
}

describe("what must succeed stops the worker with a card, and nothing is lost (PLAN-7)", () => {
  const waiting = { ...agreeable, trouble: () => null };

  it("metadata: an agent whose status cannot be written is not done", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    // However it is written: by the change's name or with its files, as words or as a patch.
    const words = failing(
      1,
      (name, args) =>
        (name === "describe" || name === "setMetadata") &&
        (args.at(-1) as { actor?: string }).actor === "agent-1" &&
        /Hox-Status: review|"status":"review"/u.test(JSON.stringify(args)),
      () => Promise.reject(jjBroken()),
    );
    fixture = await createFixture({ around: (repository) => bentRepository(repository, words.call) });
    const one = fixture;
    one.answers = waiting;
    await one.start();
    await stopsFor(one, "agent-1", /jj is broken/);
    const agent = one.engine.state().run?.workers.find((worker) => worker.name === "agent-1");
    expect(agent?.status).toBe("in_progress");
    // Its files were saved first.
    expect(await one.repo.terminal(["file", "show", "-r", agent?.changeId ?? "", "src/store.txt"])).toBe(
      "keeps users",
    );
    await retriedToTheEnd(one);
  });

  it("an agent's result: what is not in the journal did not happen", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    let broke = false;
    const result = failing(
      1,
      (name, [, event]) => {
        const { kind, worker, status } = (event ?? {}) as { kind?: string; worker?: string; status?: string };
        const done =
          name === "addEvent" &&
          kind === "IterationEnded" &&
          worker === "agent-1" &&
          ["review", "done"].includes(status ?? "");
        broke ||= done;
        return done;
      },
      () => broken("the journal"),
    );
    fixture = await createFixture({ openJournal: (path, now) => bent(openJournal(path, now), result.call) });
    const one = fixture;
    one.answers = waiting;
    const run = await one.start();
    await stopsFor(one, "agent-1", /the journal is broken/);
    expect(broke).toBe(true);
    // Neither on screen nor on disk: whoever tries again must not find it finished.
    expect(one.engine.state().run?.workers.find((worker) => worker.name === "agent-1")?.status).toBe(
      "in_progress",
    );
    await retriedToTheEnd(one);
    // What it said and every round of its checks came through.
    const journal = openJournal(join(one.repo.folder, "state", "journal.sqlite"), () => 0);
    const agent = recordedState(journal, run).workers["agent-1"];
    journal.close();
    expect(agent?.summary).not.toBe("");
    expect(agent?.checkRounds).toHaveLength(agent?.iteration ?? 0);
  });

  it("checks: work that could not be checked is not done", async () => {
    let checked = 0;
    const cannot = (sandbox: Sandbox): Sandbox =>
      bent(sandbox, (name, [options]) => {
        if (name !== "run") return undefined;
        const { command, environment } = options as Parameters<Sandbox["run"]>[0];
        // Contracts are checked as well, as their author's.
        if (command !== "sh check.sh" || !environment.HOX_WORKER?.startsWith("agent-")) return undefined;
        return checked++ === 0 ? Promise.reject(new Error("the check cannot be started")) : undefined;
      });
    fixture = await createFixture({
      sandbox: async () => cannot(await createSandbox({ allowUnsandboxed: false })),
    });
    const one = fixture;
    one.answers = waiting;
    await one.start();
    const card = await one.card("trouble");
    expect(card).toMatchObject({ detail: expect.stringContaining("the check cannot be started") });
    expect(
      one.engine
        .state()
        .run?.workers.filter((worker) => worker.name === (card.kind === "trouble" ? card.worker : "")),
    ).toMatchObject([{ status: "in_progress" }]);
  }, 300_000);

  it("jj: an agent whose files cannot be recorded stops, and keeps its files", async () => {
    let stuck = 0;
    const records = (name: string) => name === "snapshot" || name === "describe";
    fixture = await createFixture({
      around: (repository) =>
        bentRepository(repository, (name, _, worker) =>
          records(name) && worker === "agent-1" && stuck++ === 0 ? Promise.reject(jjBroken()) : undefined,
        ),
    });
    const one = fixture;
    one.answers = waiting;
    await one.start();
    await stopsFor(one, "agent-1", /jj is broken/);
  }, 300_000);

  it("a journal that accepts no write ends the work with a message, and the next start resumes", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    let dead = false;
    const readings = [
      "runs",
      "events",
      "step",
      "events",
      "config",
      "rows",
      "rowCount",
      "history",
      "spending",
      "microDollars",
    ];
    const dying = (journal: Journal): Journal =>
      bent(journal, (name) =>
        dead && ![...readings, "inboxItem", "openInbox", "votes", "openConversation", "close"].includes(name)
          ? broken("the disk")
          : undefined,
      );
    fixture = await createFixture({ openJournal: (path, now) => dying(openJournal(path, now)) });
    const one = fixture;
    await one.start();
    await one.until((run) => run.workers.some((worker) => worker.name === "agent-1" && worker.toolCalls > 0));
    dead = true;
    await eventually(() => expect(notices(one).join()).toContain("the disk is broken"));
    dead = false;
    await one.reopen();
    expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  });
});
