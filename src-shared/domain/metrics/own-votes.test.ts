import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cites, type OwnWork, votesOnOwnWork } from "./own-votes.ts";

const work = (worker: string, more: Partial<OwnWork> = {}): OwnWork => ({
  worker,
  isWhole: false,
  title: "",
  changeId: null,
  files: [],
  faults: [],
  ...more,
});
const against = (reason: string) => ({ approves: false, reason });
const forIt = { approves: true, reason: "All good." };

describe("votes on one's own work (HOX-6.1)", () => {
  const store = work("agent-1", {
    title: "Write the store",
    files: ["src/store.ts"],
    changeId: "kkmpptxzrspx",
  });
  const api = work("agent-12", {
    title: "Write the api",
    files: ["src/api.ts", "src/store.ts.map"],
    faults: ["npm test"],
  });
  const integrator = work("integrator", { isWhole: true });
  const failed = (reason: string) =>
    votesOnOwnWork([against(reason)], [store, api, integrator])
      .filter(({ failed }) => failed > 0)
      .map(({ worker }) => worker);

  it("counts an approval for all contributors", () => {
    expect(votesOnOwnWork([forIt, forIt], [store, api])).toEqual([
      { worker: "agent-1", passed: 2, failed: 0 },
      { worker: "agent-12", passed: 2, failed: 0 },
    ]);
  });

  it.each([
    ["src/store.ts throws away the error.", ["agent-1", "integrator"]],
    ["See `src/api.ts:14`: off by one.", ["agent-12", "integrator"]],
    ["What agent-12 did is fine but for the unit.", ["agent-12", "integrator"]],
    ["kkmpptxz drops a test", ["agent-1", "integrator"]],
    ["Task “Write the api” is half done.", ["agent-12", "integrator"]],
    ["npm test is red.", ["agent-12", "integrator"]],
    ["The two do not fit together.", ["integrator"]],
    ["lib/src/store.ts and src/store.tsx are unknown to me", ["integrator"]],
    ["It is in src/store.ts.", ["agent-1", "integrator"]],
  ])("%s", (reason, names) => expect(failed(reason)).toEqual(names));

  it("does not depend on the order of votes, and never counts one twice for a worker", () => {
    const vote = fc.record({
      approves: fc.boolean(),
      reason: fc.constantFrom("src/store.ts", "agent-12 agent-12", "nothing", "npm test in src/api.ts"),
    });
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 8 }), (votes) => {
        const all = [store, api, integrator];
        expect(votesOnOwnWork(votes.toReversed(), all)).toEqual(votesOnOwnWork(votes, all));
        for (const { passed, failed } of votesOnOwnWork(votes, all))
          expect(passed + failed).toBeLessThanOrEqual(votes.length);
      }),
    );
  });

  it("matches names literally", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((name) => name.trim() !== ""),
        (name) => {
          expect(cites(`x ${name} x`, work(name))).toBe(true);
        },
      ),
    );
  });
});
