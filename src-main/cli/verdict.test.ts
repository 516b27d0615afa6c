import { afterEach, expect, test } from "vitest";
import { carelessIntegrator, judgedFiles, judgedScript, seat } from "../engine/testing/verdict-script.ts";
import type { Scene } from "../model/stand-in/script.ts";
import { exitCode } from "./command-line.ts";
import { createVerdictWalk, lastValue, type VerdictWalk } from "./testing/verdict-walk.ts";

let walk: VerdictWalk;
afterEach(() => walk.remove());

const lean = ["[workflow]", 'panel = "on"', 'learning = "off"'];

async function judged(
  seats: Readonly<Record<string, readonly Scene[]>>,
  validation: readonly string[] = [],
  { integrator, workflow = [] }: { integrator?: readonly Scene[]; workflow?: readonly string[] } = {},
): Promise<VerdictWalk> {
  const count = `validator_count = ${Object.keys(seats).length}`;
  walk = await createVerdictWalk(
    judgedFiles([count, ...validation], ...lean, ...workflow),
    judgedScript(seats, integrator),
  );
  return walk;
}
const rejects = () => judged({ "validator-1": seat(() => "reject") }, ["repair_rounds = 0"]);

test("a failed verdict waits with its three answers, is stopped as rejected with 5, and names the verdict", {
  tags: "long",
}, async () => {
  const { hox, begin, goOn } = await rejects();
  const waiting = await begin();
  expect(waiting.code).toBe(exitCode.waits);
  expect(waiting.stdout).toContain("Rejected: 0 of 1 approved, 1 required (round 1, ");
  expect(waiting.stdout).toMatch(/validator-1 \(whole result\) reject: Round 1: no mail\./u);
  for (const words of ["repair", "land the check is wrong", "stop"])
    expect(waiting.stdout).toMatch(new RegExp(`^  hox answer verdict-[a-z0-9]{4} ${words} `, "mu"));
  expect(waiting.stdout).toContain("--approve does not answer it: you decide what to do about failures.");
  const { stdout } = await hox("status");
  expect(stdout).toMatch(/^ {2}verdict-[a-z0-9]{4} {2}Rejected: 0 of 1 approved, 1 required/mu);
  expect(stdout).toContain(
    "verdict: rejected\n  validator-1  reject (whole result, claude-sonnet-5-5): Round 1",
  );
  // Who judges has no task that could be in progress.
  expect(stdout).not.toMatch(/validator-1 +in_progress/u);

  const unfounded = await hox("answer", "1", "land");
  expect([unfounded.code, unfounded.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("Give a reason to override the verdict"),
  ]);
  expect((await hox("answer", "1", "stop")).code).toBe(exitCode.done);
  const stopped = await goOn("--json");
  expect([stopped.code, stopped.stderr]).toEqual([exitCode.rejected, ""]);
  expect(lastValue(stopped)).toMatchObject({
    kind: "end",
    outcome: "failed",
    code: exitCode.rejected,
    landed: null,
    verdict: "rejected",
    overruled: null,
  });
});

test("a result that landed against its verdict shows the reason, in text and as JSON", {
  tags: "long",
}, async () => {
  const { hox, begin, goOn, repository } = await rejects();
  const waiting = await begin("--json");
  expect(lastValue(waiting)).toMatchObject({ outcome: "waits", card: "votes", code: exitCode.waits });
  const answered = await hox("answer", "1", "land", "it", "is", "needed");
  expect(answered.stdout).toContain('Answered "Rejected: 0 of 1 approved, 1 required".');
  const landed = await goOn();
  expect(landed.code).toBe(exitCode.done);
  expect(landed.stdout).toContain("rejected; you land it anyway: it is needed");
  expect((await hox("status")).stdout).toContain("verdict: rejected; you land it anyway: it is needed");
  expect(await repository.terminal(["log", "--no-graph", "-r", "main", "-T", "description"])).toContain(
    "Hox-Overruled: it is needed",
  );
});

test("a result repaired with instructions is judged again and lands, and a mistyped word gets a suggestion", {
  tags: "long",
}, async () => {
  const { hox, begin, goOn, lastPromptTo } = await judged(
    { "validator-1": seat((attempt) => (attempt < 3 ? "reject" : "approve")) },
    ["repair_rounds = 0"],
  );
  expect((await begin()).code).toBe(exitCode.waits);
  const misspelt = await hox("answer", "1", "repiar", "the", "address", "too");
  expect([misspelt.code, misspelt.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining(
      'hox: "repiar" is not a valid answer. Did you mean repair? Use one of: repair, repair <instructions>, land <why>, or stop.',
    ),
  ]);
  const wordy = await hox("answer", "1", "stop", "it", "now");
  expect([wordy.code, wordy.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("stop takes no text."),
  ]);
  expect((await hox("answer", "1", "repair", "the", "address", "too")).code).toBe(exitCode.done);

  const again = await goOn();
  expect(again.code).toBe(exitCode.waits);
  // What was judged before the command is told as that, and not as news.
  expect(again.stdout).toMatch(/== integrating \(repair 1\)[^=]*\n {3}Earlier verdict, round 1:\n/u);
  expect(again.stdout).toMatch(/\n {3}rejected: 0 of 1 approve, 1 is needed\n/u);
  for (const line of [
    "Rejected: 0 of 1 approved, 1 required (round 2, ",
    "  round 1 was rejected: validator-1, who looked at the whole result, rejected: Round 1: no mail.",
    "    you said: the address too\n    repaired: Mail is kept now.",
  ])
    expect(again.stdout).toContain(line);
  expect(lastPromptTo("integrator")).toContain("- The user: the address too\n- validator-1, who");
  const answered = await hox("answer", "1", "repair", "--json");
  expect(lastValue(answered)).toMatchObject({ kind: "done", card: "votes", decision: { kind: "repair" } });
  const twice = await hox("answer", "1", "stop");
  expect([twice.code, twice.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("No cards are waiting for you."),
  ]);
  const landed = await goOn("--json");
  expect(landed.code).toBe(exitCode.done);
  expect(lastValue(landed)).toMatchObject({ code: exitCode.done, verdict: "approved", overruled: null });
});

test("a tied result goes to the user at once, and stopping it is not a rejection", {
  tags: "long",
}, async () => {
  const { hox, begin, goOn, standIn } = await judged(
    {
      ...{ "validator-1": seat(() => "approve"), "validator-2": seat(() => "approve") },
      ...{ "validator-3": seat(() => "reject"), "validator-4": seat(() => "abstain") },
    },
    ["repair_rounds = 2"],
  );
  const waiting = await begin();
  expect(waiting.code).toBe(exitCode.waits);
  for (const line of [
    "No verdict: 2 of 3 approvals, 1 against (round 1, ",
    "  validator-3 (tests) reject: Round 1: no mail.",
    "  validator-4 (attacker) abstain, not counted, 3 judges in turn: Round 1: no mail.",
    "undecided: 2 of 4 approve, 3 are needed",
  ])
    expect(waiting.stdout).toContain(line);
  expect(standIn.requests().filter(({ seen }) => seen.role === "integrator")).toEqual([]);
  const card = await hox("answer", "--json");
  expect(card.code).toBe(exitCode.waits);
  expect(lastValue(card)).toMatchObject({
    kind: "votes",
    validation: { verdict: "undecided", quorum: 3, seats: [{}, {}, { vote: "reject" }, { vote: "abstain" }] },
    rounds: [],
  });
  expect((await hox("answer", "1", "stop")).code).toBe(exitCode.done);
  const stopped = await goOn();
  expect(stopped.code).toBe(exitCode.rejected);
  expect(stopped.stdout).toContain(
    "The result was not approved in 1 round: validator-3, who looked at the tests, rejected: Round 1: no mail. validator-4, who tried to break it, abstained: Round 1: no mail. Check the",
  );
  expect(stopped.stdout).toContain("Verdict undecided.");
});

test("a timed-out result goes to the user, and its repair prompt says nothing of a rejection", {
  tags: "long",
}, async () => {
  const { hox, begin, goOn, lastPromptTo } = await judged(
    { "validator-1": seat((attempt) => (attempt === 1 ? null : "approve")) },
    ["repair_rounds = 2", "seat_timeout_seconds = 1"],
  );
  const waiting = await begin();
  expect(waiting.code).toBe(exitCode.waits);
  expect(waiting.stdout).toContain("No verdict: 0 of 1 approvals, and one seat timed out (round 1, ");
  expect(waiting.stdout).toContain(
    "validator-1 (whole result) timed-out, not counted, 3 judges in turn: No vote within 1 second.",
  );
  await hox("answer", "1", "repair", "Make it shorter.");
  const landed = await goOn("--json");
  expect(landed.code).toBe(exitCode.done);
  expect(lastValue(landed)).toMatchObject({ verdict: "approved", overruled: null });
  expect(lastPromptTo("integrator")).toContain(
    "The validators reached no verdict on the result. Fix what they name:\n- The user: Make it shorter.\n",
  );
});

test("a result vetoed by a check shows that no seat was asked, and lands with a reason", {
  tags: "long",
}, async () => {
  const { hox, begin, goOn } = await judged({ "validator-1": seat(() => "approve") }, ["repair_rounds = 0"], {
    integrator: carelessIntegrator,
    workflow: ['integrator = "on"'],
  });
  const waiting = await begin();
  expect(waiting.code).toBe(exitCode.waits);
  for (const line of [
    "A check fails on the result (round 1, ",
    "  No votes: a failed check is a veto.\n  sh check.sh failed: sh check.sh\n",
  ])
    expect(waiting.stdout).toContain(line);
  expect(waiting.stdout).not.toContain("pending");
  await hox("answer", "1", "land", "the check is wrong");
  const landed = await goOn();
  expect(landed.code).toBe(exitCode.done);
  expect(landed.stdout).toContain("   vetoed: a check failed, so no validator was asked\n");
  expect(landed.stdout).toContain("Verdict vetoed; you land it anyway: the check is wrong.\n");
});

test("a result edited while Hox is closed cannot land with the old answer, and continues without one", {
  tags: "long",
}, async () => {
  const { hox, begin, goOn, edit, repository } = await judged(
    { "validator-1": seat((_, { prompt }) => (prompt.includes("by hand") ? "approve" : "reject")) },
    ["repair_rounds = 0"],
  );
  await begin();
  const { changeId } = lastValue(await hox("answer", "--json"));
  await edit(String(changeId), "src/store.txt", "keeps users\nby hand\n");
  const refused = await hox("answer", "1", "land", "as it was");
  expect([refused.code, refused.stderr]).toEqual([
    exitCode.error,
    expect.stringContaining(
      "The result was edited after the verdict.\nResume the run: validators judge it again.",
    ),
  ]);
  const landed = await goOn();
  expect(landed.code).toBe(exitCode.done);
  expect(await repository.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe(
    "keeps users\nby hand",
  );
});
