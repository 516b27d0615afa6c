import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LandingEvent, noLanding, reduceLanding } from "#shared/domain/landing/landing-events.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { runInput } from "../../journal/testing/run-input.ts";
import { createLandings } from "./follow-landings.ts";

let repo: TestRepository;
beforeEach(async () => {
  repo = await createTestRepository();
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
});
afterEach(() => repo.remove());

const main = () => repo.terminal(["log", "--no-graph", "-r", "main", "-T", "commit_id"]);

/** Commits on main, as a run that lands does. */
async function land(run: string, ...files: readonly string[]) {
  const from = await main();
  for (const file of files) {
    await repo.write(file, `${file}\n`);
    await repo.terminal(["commit", "-m", `Add ${file}`]);
  }
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
  const move = { branch: "main", from, commitId: await main(), changeId: `change of ${run}`, workers: {} };
  return [run, [{ kind: "ResultLanded", move }]] as const;
}

/** Runs that are over, in a journal that keeps their events. */
function landingsOf(...landed: readonly (readonly [string, readonly LandingEvent[]])[]) {
  const events = new Map(landed.map(([run, own]) => [run, [...own]]));
  const row = { startedAt: 0, endedAt: 1, stage: "complete", input: runInput } as const;
  const landings = createLandings({
    repository: repo.repository,
    journal: {
      // The newest first.
      runs: () => [...events.keys()].toReversed().map((id) => ({ id, ...row })),
      landingEvents: (run) => events.get(run) ?? [],
      addEvent: (run, event) => (events.get(run) ?? []).push(event as LandingEvent),
    },
    now: () => 5,
    shown: () => [],
    flush: () => undefined,
    emit(event) {
      throw new Error(JSON.stringify(event));
    },
  });
  const stateOf = (run: string) => (events.get(run) ?? []).reduce(reduceLanding, noLanding).landed;
  return { landings, events, stateOf };
}

describe("landings", () => {
  it("records which landing a commit on the branch reverts, wholly or in part, once", async () => {
    const first = await land("first", "a.txt", "b.txt");
    const second = await land("second", "c.txt");
    const third = await land("third", "d.txt");
    const { landings, events, stateOf } = landingsOf(first, second, third);
    await landings.follow();
    expect([...events.values()].flat()).toHaveLength(3);

    // The earlier commit of the first landing, and all of the third.
    for (const subject of ["Add a.txt", "Add d.txt"]) {
      await repo.terminal(["revert", "-r", `subject(exact:"${subject}")`, "--insert-after", "main"]);
      await repo.terminal(["bookmark", "set", "main", "-r", "main+ ~ @"]);
    }
    const [revertOfThird, revertOfFirst] = [
      await main(),
      await repo.terminal(["log", "--no-graph", "-r", "main-", "-T", "commit_id"]),
    ];
    await landings.follow();
    expect(stateOf("first")?.revertedBy).toBe(revertOfFirst);
    expect(stateOf("second")?.revertedBy).toBeUndefined();
    expect(stateOf("third")?.revertedBy).toBe(revertOfThird);
    const eventCount = [...events.values()].flat().length;

    await land("not Hox's", "e.txt");
    await landings.follow();
    expect([...events.values()].flat()).toHaveLength(eventCount);
  });

  it("ignores a revert that is not on the branch", async () => {
    const first = await land("first", "a.txt");
    const { landings, stateOf } = landingsOf(first);
    await repo.terminal(["revert", "-r", "main", "--insert-after", "main"]);
    await landings.follow();
    expect(stateOf("first")?.revertedBy).toBeUndefined();
  });
});
