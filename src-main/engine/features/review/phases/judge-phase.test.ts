import { afterEach, expect, test } from "vitest";
import { type ItemOf, kindOfCard } from "#shared/contract/cards.ts";
import type { Scene, Seen } from "../../../../model/stand-in/script.ts";
import { call } from "../../../testing/merge-request-script.ts";
import {
  judgedPhaseFiles,
  judgedPhaseScript,
  phaseFiles,
  phaseScript,
} from "../../../testing/phase-script.ts";
import { requestsOf } from "../../../testing/read-run.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";
import { seat } from "../../../testing/verdict-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const fileOf = ({ opening }: Seen): string =>
  opening.includes("Write the store") ? "src/store.txt" : "src/api.txt";

const repair = (prompt: string, round: number): Scene => ({
  name: `repair ${round}`,
  prompt,
  steps: [
    (seen) => call("read_file", { path: fileOf(seen) }),
    (seen) => write(fileOf(seen), `repaired ${round}\n`),
    done(`Repair ${round}.`),
  ],
});

test("seats judge a phase after its checks: rejections are repaired, then the user is asked, then the next one begins", {
  tags: "long",
}, async () => {
  const script = phaseScript(repair("Keep the address.", 2), repair("did not approve it", 1));
  const files = phaseFiles("repair_rounds = 1", 'strategy = "historical_compare"');
  fixture = await createFixture({
    workflow: "auto",
    files: {
      ...files,
      ".hox/config.toml": (files[".hox/config.toml"] ?? "").replace('phases = "checks"', 'phases = "seats"'),
      "check.sh": "! grep -rn BROKEN src\n",
    },
    script: {
      ...script,
      routes: {
        ...script.routes,
        "validator-1-phase-1": seat((attempt) => (attempt < 3 ? "reject" : "approve")),
      },
    },
  });
  const one = fixture;
  await one.start();
  const card = (await one.card("votes")) as ItemOf<"votes">;
  expect(card).toMatchObject({
    phase: { orchestrator: "O-A-1", number: 1 },
    validation: {
      ...{ verdict: "rejected", attempt: 2, checks: [{ outcome: "passed" }] },
      seats: [{ seat: "validator-1-phase-1", vote: "reject", counted: true }],
      notes: [expect.stringContaining("Validators judge a phase without a comparison")],
    },
    rounds: [
      {
        ...{ attempt: 1, verdict: "rejected", reasons: [expect.stringContaining("Round 1")] },
        votes: [{ seat: "validator-1-phase-1", vote: "reject", reason: "Round 1: no mail." }],
        repair: { askedBy: "rule", words: "", summary: "Repair 1." },
      },
    ],
  });
  expect(kindOfCard(card).headline(card)).toBe(
    "Phase 1 is not approved. Rejected: 0 of 1 approved, 1 required",
  );
  // Votes and the question outlive the host.
  await one.reopen();
  expect(await one.card("votes")).toEqual(card);
  await one.execute("inbox.answer", {
    ...card,
    decision: { kind: "repair", words: "Keep the address." },
  });
  const run = await one.until(({ phase }) => phase === 2);
  // What is judged is the run's only with its result.
  expect(run.validation).toBeNull();
  expect(run.phaseVerdicts).toMatchObject([
    {
      ...{ orchestrator: "O-A-1", number: 1 },
      validation: { verdict: "approved", attempt: 3, seats: [{ vote: "approve", counted: true }] },
      rounds: [
        { attempt: 1, votes: [{ vote: "reject" }], repair: { askedBy: "rule", summary: "Repair 1." } },
        {
          ...{ attempt: 2, votes: [{ vote: "reject" }] },
          repair: { askedBy: "user", words: "Keep the address.", summary: "Repair 2." },
        },
      ],
    },
  ]);
  const judged = requestsOf(one, "validator-1-phase-1").filter(({ seen }) =>
    seen.prompt.startsWith("[VALIDATE]"),
  );
  expect(judged).toHaveLength(3);
  const [first] = judged;
  expect(first?.seen.prompt).toContain('after phase 1 ("Build") of 2');
  expect(first?.seen.prompt).toContain("Write the store");
  expect(first?.seen.prompt).toContain("+the store");
  expect(first?.seen.prompt).toContain("+the api");
  expect(first?.seen.prompt).not.toContain("Write the view");
  const notices = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices).toContain("Phase 1 of O-A-1 is approved by its validators: validator-1-phase-1 approve.");
});

test("has the agents of a phase judge each other's work with strategy peer_review", async () => {
  const files = judgedPhaseFiles('strategy = "peer_review"');
  const script = judgedPhaseScript({
    "validator-1-phase-1": seat(() => "approve"),
    "validator-2-phase-1": seat(() => "approve"),
  });
  fixture = await createFixture({
    workflow: "auto",
    files: {
      ...files,
      ".hox/config.toml": (files[".hox/config.toml"] ?? "")
        .replace("validator_count = 1", "validator_count = 2")
        .replace("[workflow]", '[workflow]\npanel = "on"'),
      "check.sh": "true\n",
    },
    script,
  });
  await fixture.start();
  const run = await fixture.until(({ phaseVerdicts = [] }) =>
    phaseVerdicts.some(({ validation }) => validation.verdict === "approved"),
  );
  expect(run.phaseVerdicts[0]?.validation).toMatchObject({
    strategy: "peer_review",
    seats: [
      { seat: "validator-1-phase-1", peer: "agent-1", evidence: "others", vote: "approve" },
      { seat: "validator-2-phase-1", peer: "agent-2", evidence: "others", vote: "approve" },
    ],
  });
  const [first] = requestsOf(fixture, "validator-1-phase-1");
  expect(first?.seen.prompt).toContain("+the api");
  expect(first?.seen.prompt).not.toContain("+the store");
});
