import { expect, test } from "vitest";
import type { InboxItem, ItemOf } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { defineScript, type Scene } from "../model/stand-in/script.ts";
import { eventually } from "../testing/kit.ts";
import { EngineRefusal, StaleAnswer } from "./engine-errors.ts";
import { agreeable, createFixture, type Fixture } from "./testing/run-fixture.ts";
import {
  acceptsMergeRequests,
  done,
  exampleFiles,
  plan,
  vote,
  write,
} from "./testing/three-agents-script.ts";

let fixture: Fixture;

/** A goal of one file each, so that any two of them may go on side by side. */
const planned = (file: string): Scene => ({
  name: `plans ${file}`,
  prompt: (seen) => seen.prompt.includes("[EVENT plan") && seen.prompt.includes(`Write ${file}`),
  steps: [
    {
      calls: [
        {
          tool: "propose_plan",
          input: {
            ...plan,
            contracts: { ...plan.contracts, files: [] },
            tasks: [{ ...plan.tasks[0], id: file, title: `Write ${file}`, files: [`src/${file}.txt`] }],
          },
        },
      ],
    },
  ],
});

const works = (file: string): Scene => ({
  name: `writes ${file}`,
  prompt: `Write ${file}`,
  steps: [write(`src/${file}.txt`, `the ${file}\n`), done(`The ${file} is written.`)],
});

const script = defineScript({
  name: "side by side",
  routes: {
    "O-*": [
      acceptsMergeRequests,
      planned("store"),
      planned("view"),
      { name: "reads", prompt: /^\[EVENT user message\]/, steps: [done("I mind it.")] },
    ].map((scene) => ({ ...scene, optional: true })),
    "agent-*": [works("store"), works("view")],
    "integrator*": [{ name: "joins", steps: [done("All is together.")], optional: true }],
    "validator-*": vote("approve"),
  },
});

const files = {
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[workflow]\ncontracts = "off"\nlearning = "off"\npanel = "off"\n`,
};

const runs = (): readonly RunView[] => {
  const { run, otherRuns } = fixture.engine.state();
  return [...(run ? [run] : []), ...otherRuns.map((one) => one.run)];
};
const runOf = (id: string): RunView => {
  const found = runs().find((one) => one.id === id);
  if (!found) throw new Error(`Run ${id} is not shown.`);
  return found;
};

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !holds(); ) {
    if (Date.now() > end || fixture.standIn.unmatched().length > 0)
      throw new Error(
        `It did not come to that: ${what}. ${JSON.stringify([
          runs().map(({ root, stage, paused, workers }) => [
            root,
            stage,
            paused,
            workers.map((one) => [one.name, one.activity]),
          ]),
          fixture.engine.state().inbox,
          fixture.standIn.unmatched(),
        ])}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

const cardOf = (run: string, kind: InboxItem["kind"]): InboxItem | undefined =>
  fixture.engine.state().inbox.find((item) => item.run === run && item.kind === kind);

async function card<Kind extends InboxItem["kind"]>(run: string, kind: Kind): Promise<ItemOf<Kind>> {
  await until(`a card ${kind} of ${run}`, () => cardOf(run, kind) !== undefined);
  return cardOf(run, kind) as ItemOf<Kind>;
}

/** Lands it, as often as the branch moves on meanwhile. */
async function land(run: string): Promise<void> {
  while (runOf(run).endedAt === null) {
    const asked = await card(run, "land");
    try {
      await fixture.execute("inbox.answer", {
        ...asked,
        decision: { kind: "approve", bookmark: "main" },
      });
    } catch (error) {
      if (!(error instanceof StaleAnswer || error instanceof EngineRefusal)) throw error;
    }
    await until(`the answer to the landing of ${run}`, () => cardOf(run, "land")?.nonce !== asked.nonce);
    await until(
      `the end of ${run}, or another card`,
      () => runOf(run).endedAt !== null || cardOf(run, "land") !== undefined,
    );
  }
}

/** The work of both is together, and what they would decide binds nobody any more. */
async function expectLabelsToReach(first: string): Promise<void> {
  const { terminal } = fixture.repo;
  const { events } = fixture;
  const label = (onto: string, words: string, ...trailers: readonly string[]) =>
    terminal(["new", onto, "-m", [words, trailers.join("\n")].join("\n\n")]);
  const base = runOf(first).workers.find(({ name }) => name === "O-A-1")?.changeId ?? "";
  const had = events.length;
  await label("main", "Hurry.", "Hox-Msg-To: O-A-2");
  await label("main", "All of you.", "Hox-Msg-To: O-A-*");
  await label("main", "Who?", "Hox-Msg-To: O-A-3/agent-1");
  await label("main", "Ids are text", "Hox-Kind: mutation");
  await label(base, "Names are text", "Hox-Kind: mutation");
  await label("main", "Mails are text", "Hox-Kind: mutation", "Hox-Orchestrator: O-A-2");
  await terminal(["new", "main"]);
  const expected = [
    /^Delivered to O-A-1: the message in change\.$/u,
    /^Delivered to O-A-2: the message in change\.$/u,
    /^Delivered to O-A-2: the message in change\.$/u,
    /^No active agent matches O-A-3\/agent-1, so/u,
    /^O-A-1 answers you: I mind it\.$/u,
    /^O-A-2 answers you: I mind it\.$/u,
    /^O-A-2 answers you: I mind it\.$/u,
    /^The decision "Ids are text" in change was not proposed: 2 runs are active, and it fits none of them\.$/u,
    /^The decision in change was not proposed: the work of O-A-1 is already integrated/u,
    /^The decision in change was not proposed: the work of O-A-2 is already integrated/u,
  ];
  const received = () =>
    events
      .slice(had)
      .flatMap((event) => (event.kind === "notice" ? [event] : []))
      .map(({ text, remedy }) => ({ text: text.replaceAll(/\b[k-z]{12}\b/gu, "change"), remedy }))
      .toSorted((one, other) => (one.text < other.text ? -1 : 1));
  const isToldOnce = () =>
    expect(received().map(({ text }) => text)).toEqual(expected.map((text) => expect.stringMatching(text)));
  await eventually(isToldOnce);
  expect(received().find(({ text }) => text.includes("Ids are text"))?.remedy).toMatch(
    /--set-msg-to "O-A-1\/\*" for "Write store" or --set-msg-to "O-A-2\/\*" for "Write view", or --set-msg-to "O-A-\*" for all\.$/u,
  );
}

const begin = async (): Promise<void> => {
  fixture = await createFixture({ script, files, workflow: "auto" });
  fixture.answers = { ...agreeable, land: () => null };
};

test("two runs are active in parallel under separate names, through a restart, and both land", {
  tags: ["long"],
}, async () => {
  await begin();
  const first = await fixture.start({ goal: "Write store" });
  const second = await fixture.start({ goal: "Write view" });
  expect([runOf(first).root, runOf(second).root]).toEqual(["O-A-1", "O-A-2"]);
  await card(first, "land");
  await fixture.reopen();
  await card(first, "land");
  await card(second, "land");
  const names = [first, second].flatMap((id) =>
    runOf(id).workers.filter(({ role }) => ["agent", "orchestrator", "integrator"].includes(role)),
  );
  expect(new Set(names.map(({ name }) => name)).size).toBe(names.length);
  expect(names.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["O-A-1", "O-A-2", "agent-1", "agent-2"]),
  );
  const { messages } = fixture.engine.state();
  expect(messages).toEqual([]);

  await land(first);
  expect(runOf(first)).toMatchObject({ stage: "complete", landed: { bookmark: "main" } });
  expect(runOf(second).endedAt).toBeNull();
  await land(second);
  expect(runOf(second)).toMatchObject({ stage: "complete", landed: { bookmark: "main" } });
  for (const file of ["store", "view"])
    expect(await fixture.repo.terminal(["file", "show", "-r", "main", `src/${file}.txt`])).toBe(
      `the ${file}`,
    );
  // What landed last is taken back, and nothing of the other.
  await fixture.execute("run.undoLanding");
  expect(runOf(first).landed?.undoneAt ?? null).toBeNull();
  expect(runOf(second).landed?.undoneAt ?? null).not.toBeNull();
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe("the store");
});

test("a plan with another run's files is blocked with that run's name, until it is over", async () => {
  await begin();
  const first = await fixture.start({ goal: "Write store" });
  await card(first, "land");
  fixture.answers = { ...fixture.answers, plan: () => null };
  const second = await fixture.start({ goal: "Write store, once more" });
  const held = await card(second, "plan");
  const words = '"store" claims src/store.txt, where agent-1 of O-A-1 works (Write store).';
  expect(held.taken).toEqual([expect.stringContaining(words)]);
  expect(held.problems).toEqual(expect.arrayContaining([expect.stringContaining(words)]));
  const approve = (asked: InboxItem) =>
    fixture.execute("inbox.answer", { ...asked, decision: { kind: "approve" } });
  await expect(approve(held)).rejects.toThrow(words);
  // Amended to other files it may begin, and back to these it may not.
  const amend = (path: string) =>
    fixture.execute("plan.amend", {
      run: second,
      orchestrator: "O-A-2",
      edits: [{ kind: "change", task: "store", patch: { files: [path] } }],
    });
  await amend("src/other.txt");
  expect((await card(second, "plan")).taken).toBeUndefined();
  await amend("src/store.txt");
  expect((await card(second, "plan")).taken).toEqual([expect.stringContaining(words)]);

  await land(first);
  await until("the card without the files", () => {
    const item = cardOf(second, "plan");
    return item?.kind === "plan" && item.taken === undefined && item.problems.length === 0;
  });
  await approve(await card(second, "plan"));
  await until("approved", () => runOf(second).planApproved);
  await fixture.execute("run.stop", { run: second });
  expect(runOf(second).stage).toBe("stopped");
}, 300_000);

test("a command about one run leaves the other alone", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  await begin();
  const first = await fixture.start({ goal: "Write store" });
  const second = await fixture.start({ goal: "Write view" });
  await expect(fixture.execute("run.pause", { run: "O-A-9" })).rejects.toThrow(
    'No run "O-A-9" is open in this repository',
  );
  await fixture.execute("run.pause", { run: second });
  expect([runOf(first).paused, runOf(second).paused === "no"]).toEqual(["no", false]);
  await card(first, "land");
  expect(cardOf(second, "land")).toBeUndefined();
  await fixture.execute("run.pause", { run: first });
  await fixture.execute("run.resume", { run: second });
  await card(second, "land");
  await fixture.execute("run.resume", { run: first });
  await expectLabelsToReach(first);

  const undo = (run: string, worker: string) =>
    fixture.execute("run.undoWorker", { run, worker, afterwards: "wait" });
  for (const id of [first, second]) {
    const agent = runOf(id).workers.find(({ role }) => role === "agent")?.name ?? "";
    await expect(undo(id, agent)).rejects.toThrow(`The work of ${agent} is in the integration.`);
  }

  await fixture.execute("run.stop", { run: second });
  expect(runOf(second)).toMatchObject({ stage: "stopped" });
  expect(runOf(first).endedAt).toBeNull();
  await expect(fixture.execute("run.pause", { run: second })).rejects.toThrow("has ended");
  await land(first);
  expect(runOf(first)).toMatchObject({ stage: "complete" });
});

test("a run that would overlap with every other does not start in parallel", async () => {
  await begin();
  fixture.answers = {};
  await fixture.start({ goal: "Write store" });
  await expect(fixture.start({ goal: "Write view", quick: true })).rejects.toThrow(
    "A quick run can change any file",
  );
  await expect(fixture.start({ goal: "Write view", rehearsal: "receipts" })).rejects.toThrow(
    "A rehearsal can't run at the same time as another run",
  );
});
