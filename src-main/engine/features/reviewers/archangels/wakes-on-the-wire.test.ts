import { expect, test } from "vitest";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Seen } from "../../../../model/stand-in/script.ts";
import { archangelTable, askedOf, nothingToSay } from "../../../testing/archangel-script.ts";
import { call, config } from "../../../testing/merge-request-script.ts";
import { createFixture, type Fixture, isJoined } from "../../../testing/run-fixture.ts";
import { threeAgents } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const silent = { name: "has nothing to say", steps: [nothingToSay], optional: true };
/** What happened, as it was told, review by review. */
const happened = (one: Fixture, name: string) =>
  askedOf(one, name).flatMap(({ seen }) =>
    seen.turn === 0 ? [sectionOf(seen.prompt, "What happened").replace(/\n\n[\s\S]*$/u, "")] : [],
  );

test("a decision, an offer and a phase's end wake subscribed archangels; events during a review cause one more; a switch counts at once", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  /** Goes on looking until something was decided, which is after all agents have gone on; each time at something else. */
  const looks = (seen: Seen) => {
    const isDecided = (fixture?.engine.state().run?.decisions.length ?? 0) > 0;
    const look = { ...call("search", { pattern: `nothing-${seen.turn}` }), waitMs: 200 };
    return isDecided ? nothingToSay : look;
  };
  fixture = await createFixture({
    workflow: "one-judge",
    files: config(
      [
        archangelTable("on-decision", 'wakes = ["decision_applied"]'),
        archangelTable("on-offer", 'wakes = ["merge_requested"]\npaths = ["src/api.txt"]'),
        archangelTable("on-phase", 'wakes = ["phase_end"]'),
        archangelTable("slow", 'wakes = ["iteration_saved", "decision_applied", "merge_requested"]'),
        archangelTable("late", 'enabled = false\nwakes = ["plan_changed"]'),
      ].join(""),
    ),
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        "archangel-slow": [
          {
            name: "is slow",
            prompt: (seen) => seen.turns === seen.turn,
            steps: Array.from({ length: 55 }, () => looks),
          },
          silent,
        ],
        "archangel-*": [silent],
      },
    },
  });
  const one = fixture;
  await one.start();
  await one.until((run) => run.decisions.length > 0);
  await one.execute("archangel.switch", { name: "late", isOn: true });
  await one.until(() => happened(one, "late").length > 0);
  const run = await one.until(
    (view) => isJoined(view) && happened(one, "on-phase").length > 0 && happened(one, "slow").length > 1,
    120_000,
  );
  expect(run.failure).toBe(null);
  expect(happened(one, "on-decision")).toEqual(["- O-A-1: applied a decision."]);
  const decided = askedOf(one, "on-decision")[0]?.seen.prompt ?? "";
  expect(sectionOf(decided, "Decisions")).toContain("The id is called user_id");
  expect(happened(one, "on-offer")).not.toEqual([]);
  expect(happened(one, "on-offer").every((text) => text.startsWith("- agent-2: offers its work"))).toBe(true);
  const offered = askedOf(one, "on-offer")[0]?.seen.prompt ?? "";
  expect(offered).toContain("## Work of agent-2");
  expect(offered).not.toContain("## Work of agent-1");
  expect(happened(one, "on-phase")[0]).toContain("O-A-1: finished a phase.");
  // All that came while it looked was one review, the second.
  const [first = "", second = ""] = happened(one, "slow");
  expect(first.split("\n")).toHaveLength(1);
  expect(second.split("\n").length).toBeGreaterThan(1);
  // Switched on in the middle, it is told everything of the run as it is then.
  expect(askedOf(one, "late")[0]?.seen.prompt).toContain("## Plan");
  expect(happened(one, "late")).toEqual(["- O-A-1: has a plan that is new or another one."]);
  await expect(one.execute("archangel.switch", { name: "nobody", isOn: true })).rejects.toThrow(
    'No archangel named "nobody"',
  );
});
