/** What inputs of commands ask more for than the commands themselves. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPeople, hostOwner, type People } from "../people/people.ts";
import { tempDir } from "../testing/kit.ts";
import { authorize, executeAs } from "./authorize.ts";

const root = "/shop";
let people: People;
beforeEach(() => {
  people = createPeople(tempDir());
  people.invite({ name: "Sam", role: "steer", repository: null, hours: 1 });
});
afterEach(() => people.close());

const budget = { limitTokens: null, limitMicroDollars: 1_000_000 };
const run = { id: "r", budget, workers: [{ name: "agent-1", budget }] };

/** @param cards the open ones */
function hostWith(...cards: readonly object[]) {
  const engine = { state: () => ({ run, otherRuns: [] }), inbox: () => cards };
  return { people, opened: () => ({ engine }) } as unknown as Parameters<typeof authorize>[0];
}

const bySam = (
  host: ReturnType<typeof hostWith>,
  name: Parameters<typeof authorize>[2]["name"],
  input: object,
) => authorize(host, "Sam", { name, input: { repository: root, run: "r", ...input } });
const needsApprove = { message: expect.stringContaining("needs the role approve") };

test("a plan is edited by who steers, and its budget is raised by who approves", async () => {
  const amend = (amounts: object) =>
    bySam(hostWith(), "plan.amend", { edits: [{ kind: "budget", tokens: null, ...amounts }] });
  await expect(amend({ microDollars: null })).rejects.toMatchObject(needsApprove);
  await expect(amend({ microDollars: 1_000_001 })).rejects.toMatchObject(needsApprove);
  await amend({ microDollars: 999_999 });
  await bySam(hostWith(), "plan.amend", { edits: [{ kind: "remove", task: "t" }] });
});

test("a limit that would answer an open budget card is set by who approves", async () => {
  const ofRun = hostWith({ kind: "budget", run: "r", worker: null });
  const ofWorker = hostWith({ kind: "budget", run: "r", worker: "agent-1" });
  const less = { microDollars: 999_999 };
  const edits = [{ kind: "budget", tokens: null, ...less }];
  await expect(bySam(ofRun, "run.setLimits", less)).rejects.toMatchObject(needsApprove);
  await expect(bySam(ofRun, "plan.amend", { edits })).rejects.toMatchObject(needsApprove);
  await expect(bySam(ofWorker, "run.setWorkerLimits", { worker: "agent-1", ...less })).rejects.toMatchObject(
    needsApprove,
  );
  await bySam(ofRun, "run.setLimits", { maxParallelAgents: 1 });
  await bySam(ofWorker, "run.setLimits", less);
});

test("a refusal in a repository advises to give the role there, by a person who can", async () => {
  people.invite({ name: "Olga", role: "own", repository: root, hours: 1 });
  people.invite({ name: "Otto", role: "own", repository: null, hours: 1 });
  await expect(bySam(hostWith(), "operation.undo", {})).rejects.toMatchObject({
    remedy: `Ask ${hostOwner()} or Otto: hox people invite Sam --role approve --here --repo /shop`,
  });
  await expect(authorize(hostWith(), "Sam", { name: "people.list", input: {} })).rejects.toMatchObject({
    remedy: `Ask ${hostOwner()} or Otto: hox people invite Sam --role own`,
  });
});

test("a refused command is written down once, and at once", async () => {
  let writes = 0;
  const counted: People = {
    ...people,
    begun: (...given) => {
      writes++;
      return people.begun(...given);
    },
    ended: (...given) => {
      writes++;
      return people.ended(...given);
    },
    refused: (...given) => {
      writes++;
      return people.refused(...given);
    },
  };
  const undo = { name: "operation.undo", input: { repository: root, run: "r" } } as const;
  const host = { ...hostWith(), people: counted };
  await expect(executeAs(host, "Sam", undo, () => undefined)).rejects.toMatchObject(needsApprove);
  expect(people.log(10)).toMatchObject([{ name: "Sam", did: "undid an operation", outcome: "refused" }]);
  expect(writes).toBe(1);
});
