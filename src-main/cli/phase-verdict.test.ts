import { afterEach, expect, test } from "vitest";
import {
  judgedPhaseFiles,
  judgedPhaseScript,
  phaseFiles,
  phaseScript,
  repairsPhase,
  repairsPhaseAsRequested,
} from "../engine/testing/phase-script.ts";
import { done, rewrite } from "../engine/testing/three-agents-script.ts";
import { seat } from "../engine/testing/verdict-script.ts";
import { exitCode } from "./command-line.ts";
import { createVerdictWalk, lastValue, type VerdictWalk } from "./testing/verdict-walk.ts";

let walk: VerdictWalk;
afterEach(() => walk.remove());

test("a phase with failing checks is repaired from the terminal with instructions for the last merged agent", {
  tags: "long",
}, async () => {
  walk = await createVerdictWalk(phaseFiles("repair_rounds = 0"), phaseScript(repairsPhaseAsRequested));
  const { hox, begin, goOn, standIn } = walk;
  const waiting = await begin();
  expect(waiting.code).toBe(exitCode.waits);
  expect(waiting.stdout).toContain("A check fails on phase 1 (round 1, ");
  for (const words of [
    "continue the check is wrong  starts the next phase anyway; your reason is recorded on the change",
    "stop ",
  ])
    expect(waiting.stdout).toMatch(new RegExp(`^  hox answer verdict-[a-z0-9]{4} ${words}`, "mu"));
  expect((await hox("status")).stdout).toMatch(
    /^ {2}verdict-[a-z0-9]{4} {2}A check fails on phase 1 \(round 1, /mu,
  );
  for (const unfounded of ["continue", "land"]) {
    const { code, stderr } = await hox("answer", "1", unfounded);
    expect([code, stderr]).toEqual([
      exitCode.usage,
      expect.stringContaining("Give a reason to start the next phase anyway: continue <why>."),
    ]);
  }
  await hox("answer", "1", "repair", "Join them.");
  const landed = await goOn("--json");
  expect(landed.code).toBe(exitCode.done);
  expect(lastValue(landed)).toMatchObject({ verdict: "approved", phases: [] });
  const prompts = standIn.requests().filter(({ seen }) => seen.prompt.includes("Phase 1 failed"));
  expect(prompts[0]?.seen.prompt).toContain("> The user says: Join them.");
});

test("a phase accepted against failing checks shows the reason in status, end and history", {
  tags: "long",
}, async () => {
  walk = await createVerdictWalk(phaseFiles("repair_rounds = 0"), phaseScript());
  const { hox, begin, goOn, repository } = walk;
  await begin();
  const answered = await hox("answer", "1", "continue", "the view joins them.");
  expect(answered.stdout).toContain('Answered "A check fails on phase 1".');
  const landed = await goOn();
  expect(landed.code).toBe(exitCode.done);
  const words = "vetoed; you continue anyway: the view joins them.";
  expect(landed.stdout).toContain(`\nPhase 1 of O-A-1: ${words}\n`);
  expect((await hox("status")).stdout).toContain(`\nphase 1 of O-A-1: ${words}\n`);
  expect(await repository.terminal(["log", "--no-graph", "-r", "::main", "-T", "description"])).toContain(
    "Hox-Overruled: Phase 1: the view joins them",
  );
});

test("a run stopped after a failed phase ends as rejected with 5, and names the verdict", {
  tags: "long",
}, async () => {
  walk = await createVerdictWalk(phaseFiles("repair_rounds = 0"), phaseScript());
  const { hox, begin, goOn } = walk;
  await begin();
  expect((await hox("answer", "1", "stop")).code).toBe(exitCode.done);
  const stopped = await goOn("--json");
  expect(stopped.code).toBe(exitCode.rejected);
  expect(lastValue(stopped)).toMatchObject({
    ...{ outcome: "failed", code: exitCode.rejected, verdict: null, overruled: null },
    failure: { reason: "The checks failed after phase 1: sh check.sh failed" },
    phases: [{ orchestrator: "O-A-1", number: 1, verdict: "vetoed", overruled: null }],
  });
});

test("votes on a phase, its automatic repair and the reason for continuing are printed as they happen", {
  tags: "long",
}, async () => {
  const repairs = (prompt: string, text: string) => ({
    ...repairsPhase,
    prompt,
    steps: [...rewrite("src/together.txt", text), done(`It says ${text.trim()}.`)],
  });
  walk = await createVerdictWalk(
    { ...judgedPhaseFiles("repair_rounds = 1"), "check.sh": "true\n" },
    judgedPhaseScript(
      { "validator-1-phase-1": seat(() => "reject") },
      { ...repairs("The user says: Keep the address.", "both, with the address\n") },
      repairsPhase,
    ),
  );
  const { hox, begin, goOn } = walk;
  const waiting = await begin();
  expect(waiting.code).toBe(exitCode.waits);
  for (const line of [
    "   phase 1 of O-A-1, round 1:\n",
    "   validator-1-phase-1 reject (whole result, claude-sonnet-5-5): Round 1: no mail.\n",
    "   phase 1 of O-A-1 rejected: 0 of 1 approve, 1 is needed\n",
    "Phase 1 is not approved. Rejected: 0 of 1 approved, 1 required (round 2, ",
    "    repaired: Both are together.\n",
  ])
    expect(waiting.stdout).toContain(line);
  expect(waiting.stderr).toMatch(
    /Phase 1 of O-A-1 was sent back to agent-\d: validator-1-phase-1, who looked at/u,
  );
  await hox("answer", "1", "repair", "Keep the address.");
  const again = await goOn();
  expect(again.code).toBe(exitCode.waits);
  for (const line of [
    "    you said: Keep the address.\n    repaired: It says both, with the address.\n",
    "Phase 1 is not approved. Rejected: 0 of 1 approved, 1 required (round 3, ",
  ])
    expect(again.stdout).toContain(line);
  await hox("answer", "1", "continue", "good enough for now");
  const landed = await goOn("--json");
  expect(landed.code).toBe(exitCode.done);
  expect(lastValue(landed)).toMatchObject({
    verdict: "approved",
    overruled: null,
    phases: [
      {
        ...{ orchestrator: "O-A-1", number: 1, verdict: "rejected" },
        overruled: { reason: "good enough for now" },
      },
    ],
  });
});

test("a phase edited while Hox is closed is judged in its new version, without a card for the old one", {
  tags: "long",
}, async () => {
  walk = await createVerdictWalk(phaseFiles("repair_rounds = 0"), phaseScript());
  const { hox, begin, goOn, edit } = walk;
  await begin();
  const { changeId } = lastValue(await hox("answer", "--json"));
  await edit(String(changeId), "src/together.txt", "by hand\n");
  for (const answer of ["repair", "continue as it was"]) {
    const refused = await hox("answer", "1", ...answer.split(" "));
    expect([refused.code, refused.stderr]).toEqual([
      exitCode.error,
      expect.stringContaining(
        "The result of phase 1 was edited after the verdict.\nResume the run: validators judge it again.",
      ),
    ]);
  }
  const landed = await goOn();
  expect(landed.code).toBe(exitCode.done);
});
