import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { formatFailedVerdict } from "#shared/contract/cards/votes.ts";
import type { AnswerTo, InboxItem, ItemOf } from "#shared/contract/cards.ts";
import type { Scene } from "../../../../model/stand-in/script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { carelessIntegrator, judgedFiles, judgedScript, seat } from "../../../testing/verdict-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const isVotes = (item: InboxItem): item is ItemOf<"votes"> => item.kind === "votes";

const votesCard = async (one: Fixture): Promise<ItemOf<"votes">> => {
  const run = await one.until((now, inbox) => over(now) || inbox.some(isVotes));
  const card = one.engine.state().inbox.find(isVotes);
  if (card) return card;
  throw new Error(
    `Nobody was asked about the verdict: the run is ${run.stage}, ${JSON.stringify(run.failure)}.`,
  );
};
const answer = (one: Fixture, item: InboxItem, decision: AnswerTo<"votes">) =>
  one.execute("inbox.answer", { ...item, decision });

const leanSeats = ["[workflow]", 'panel = "on"', 'learning = "off"'];
const asksFor = (one: Fixture, beginning: string): readonly string[] =>
  one.standIn
    .requests()
    .map(({ seen }) => seen.prompt)
    .filter((prompt) => prompt.startsWith(beginning));

test("a result rejected after its repair rounds goes to the user: repaired with instructions, judged again, landed; each role uses its chosen model", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    files: judgedFiles(["validator_count = 1", "repair_rounds = 1"], ...leanSeats),
    script: judgedScript({ "validator-1": seat((attempt) => (attempt < 4 ? "reject" : "approve")) }),
  });
  const models = {
    orchestrator: "claude-opus-5-5",
    integrator: "claude-haiku-5-5",
    validator: "claude-fable-5-2",
  };
  await fixture.start({ models });
  const card = await votesCard(fixture);
  expect(card).toMatchObject({
    validation: {
      attempt: 2,
      verdict: "rejected",
      seats: [{ seat: "validator-1", vote: "reject", reason: "Round 2: no mail.", counted: true }],
    },
    rounds: [
      {
        attempt: 1,
        verdict: "rejected",
        reasons: [expect.stringContaining("Round 1: no mail.")],
        votes: [{ seat: "validator-1", evidence: "result", vote: "reject", reason: "Round 1: no mail." }],
        repair: { askedBy: "rule", words: "", summary: "Mail is kept now." },
      },
    ],
    repairRounds: 1,
  });
  expect(card.microDollars).toBeGreaterThan(0);
  await answer(fixture, card, { kind: "repair", words: "Keep the address too." });
  // Rejected once more it comes back, with what was said and done.
  await fixture.until((_, inbox) => inbox.some((item) => isVotes(item) && item.id !== card.id));
  const again = await votesCard(fixture);
  expect(again).toMatchObject({
    validation: { attempt: 3 },
    rounds: [{ attempt: 1 }, { attempt: 2, repair: { askedBy: "user", words: "Keep the address too." } }],
  });
  expect(asksFor(fixture, "[INTEGRATE]").at(-1)).toContain("The user: Keep the address too.");
  await answer(fixture, again, { kind: "repair" });
  expect(await fixture.until(over)).toMatchObject({
    stage: "complete",
    validation: { attempt: 4, verdict: "approved" },
    // What was said before it stays to be read.
    rounds: [1, 2, 3].map((attempt) => ({
      attempt,
      votes: [{ vote: "reject", reason: `Round ${attempt}: no mail.` }],
      repair: { summary: "Mail is kept now." },
    })),
  });
  const asked = fixture.standIn.requests().map(({ seen }) => `${seen.role} ${seen.model}`);
  expect([...new Set(asked)].sort()).toEqual([
    "O-A-1 claude-opus-5-5",
    "agent-1 claude-sonnet-5-5",
    "integrator claude-haiku-5-5",
    "validator-1 claude-fable-5-2",
  ]);
});

interface Cause {
  readonly files: Readonly<Record<string, string>>;
  readonly seats: Readonly<Record<string, readonly Scene[]>>;
  readonly integrator?: readonly Scene[];
  readonly verdict: string;
  readonly words: string;
}

const causes: Readonly<Record<string, Cause>> = {
  rejected: {
    files: judgedFiles(["validator_count = 1", "repair_rounds = 0"], ...leanSeats),
    seats: { "validator-1": seat((attempt) => (attempt === 1 ? "reject" : "approve")) },
    verdict: "rejected",
    words: "Rejected: 0 of 1 approved, 1 required",
  },
  vetoed: {
    files: judgedFiles(["validator_count = 1", "repair_rounds = 0"], ...leanSeats, 'integrator = "on"'),
    seats: { "validator-1": seat(() => "approve") },
    integrator: carelessIntegrator,
    verdict: "vetoed",
    words: "A check fails on the result",
  },
  // Rounds are left: where nobody says what to repair, a user is asked at once.
  tied: {
    files: judgedFiles(["validator_count = 2", "repair_rounds = 2"], ...leanSeats),
    seats: {
      "validator-1": seat(() => "approve"),
      "validator-2": seat((attempt) => (attempt === 1 ? "abstain" : "approve")),
    },
    verdict: "undecided",
    words: "No verdict: 1 of 2 approvals, 0 against",
  },
  "timed out": {
    files: judgedFiles(
      ["validator_count = 1", "repair_rounds = 2", "seat_timeout_seconds = 1"],
      ...leanSeats,
    ),
    seats: { "validator-1": seat((attempt) => (attempt === 1 ? null : "approve")) },
    verdict: "undecided",
    words: "No verdict: 0 of 1 approvals, and one seat timed out",
  },
};

describe.each(Object.entries(causes))(
  "a result that was %s",
  (_, { files, seats, integrator, verdict, words }) => {
    const asked = async (): Promise<{ readonly one: Fixture; readonly card: ItemOf<"votes"> }> => {
      fixture = await createFixture({ workflow: "auto", files, script: judgedScript(seats, integrator) });
      fixture.answers = { ...agreeable, land: () => null };
      await fixture.start();
      const card = await votesCard(fixture);
      expect(card.validation).toMatchObject({ attempt: 1, verdict });
      expect(formatFailedVerdict(card.validation)).toBe(words);
      expect(card.rounds).toEqual([]);
      return { one: fixture, card };
    };

    test("is repaired with instructions, judged again and approved", { tags: "long" }, async () => {
      const { one, card } = await asked();
      await answer(one, card, { kind: "repair", words: "Look again." });
      expect(asksFor(one, "[INTEGRATE]").filter((prompt) => prompt.includes("The user:"))).toHaveLength(0);
      const land = await one.card("land");
      expect(asksFor(one, "[INTEGRATE]").at(-1)).toContain("The user: Look again.");
      expect(land).not.toHaveProperty("overruled");
      expect(one.engine.state().run?.validation).toMatchObject({ attempt: 2, verdict: "approved" });
    });

    test("lands anyway with a reason that its history keeps", { tags: "long" }, async () => {
      const { one, card } = await asked();
      await expect(answer(one, card, { kind: "land", reason: " " })).rejects.toThrow("Invalid answer");
      const before = one.standIn.requests().length;
      await one.reopen();
      const again = await votesCard(one);
      expect(again).toEqual(card);
      await answer(one, again, { kind: "land", reason: "It is needed today:\nthe mail comes later." });
      const reason = "It is needed today: the mail comes later.";
      const land = await one.card("land");
      expect(land).toMatchObject({ kind: "land", overruled: reason });
      await one.execute("inbox.answer", { ...land, decision: { kind: "approve", bookmark: "main" } });
      const run = await one.until(over);
      expect(run).toMatchObject({
        stage: "complete",
        validation: { attempt: 1, verdict, overruled: { reason } },
      });
      // Nobody was asked again, and Hox's other lines went.
      expect(asksFor(one, "[VALIDATE]").length).toBe(
        one.standIn
          .requests()
          .slice(0, before)
          .filter(({ seen }) => seen.prompt.startsWith("[VALIDATE]")).length,
      );
      const descriptions = await one.repo.terminal(["log", "--no-graph", "-r", "main", "-T", "description"]);
      expect(descriptions).toContain(`Hox-Overruled: ${reason}`);
      expect(descriptions).not.toContain("Hox-Run:");
    });

    test("ends the run as rejected, and its work stays", { tags: "long" }, async () => {
      const { one, card } = await asked();
      await answer(one, card, { kind: "stop" });
      const run = await one.until(over);
      expect(run).toMatchObject({ stage: "failed", endedBy: "rejection" });
      expect(await one.repo.terminal(["file", "show", "-r", run.integration ?? "", "src/store.txt"])).toBe(
        "keeps users",
      );
      expect(await one.repo.terminal(["file", "list", "-r", "main"])).not.toContain("src/store.txt");
    });
  },
);

test("an answer to a verdict given while the run is paused and Hox is closed takes effect on resume", {
  tags: "long",
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    files: judgedFiles(["validator_count = 1", "repair_rounds = 0"], ...leanSeats),
    script: judgedScript({ "validator-1": seat((attempt) => (attempt === 1 ? "reject" : "approve")) }),
  });
  await fixture.start();
  const card = await votesCard(fixture);
  await fixture.execute("run.pause");
  await answer(fixture, await votesCard(fixture), { kind: "repair", words: "Look again." });
  await fixture.reopen();
  expect(fixture.engine.state().inbox.some(({ id }) => id === card.id)).toBe(false);
  expect(asksFor(fixture, "[INTEGRATE]")).toEqual([]);
  await fixture.execute("run.resume");
  expect(await fixture.until(over)).toMatchObject({
    stage: "complete",
    validation: { attempt: 2, verdict: "approved" },
  });
});

test("a result edited while its verdict is open is judged again, and only the judged version can land", {
  tags: "long",
}, async () => {
  const isByHand = (attempt: number, prompt: string): boolean => attempt === 1 && prompt.includes("by hand");
  fixture = await createFixture({
    workflow: "auto",
    files: judgedFiles(["validator_count = 1", "repair_rounds = 0"], ...leanSeats),
    script: judgedScript({
      "validator-1": seat((attempt, { prompt }) => (isByHand(attempt, prompt) ? "approve" : "reject")),
    }),
  });
  await fixture.start();
  const card = await votesCard(fixture);
  const workspace = join(fixture.repo.folder, "beside");
  await fixture.repo.terminal(["workspace", "add", workspace, "-r", card.changeId]);
  await writeFile(join(workspace, "src", "store.txt"), "keeps users\nby hand\n");
  await fixture.repo.terminal(["-R", workspace, "squash", "--into", card.changeId, "-m", "By hand"]);
  // Whether it has heard of the edit yet or not.
  await expect(answer(fixture, card, { kind: "land", reason: "As it was." })).rejects.toThrow();
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", validation: { attempt: 1, verdict: "approved" } });
  expect(run.validation).not.toHaveProperty("overruled");
  expect(run.validation?.commitId).not.toBe(card.validation.commitId);
  expect(await fixture.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe(
    "keeps users\nby hand",
  );
});
