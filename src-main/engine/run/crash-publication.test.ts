import { expect, test } from "vitest";
import { kindOf } from "../testing/kill-points.ts";
import { killedRun } from "../testing/killed-run.ts";

const around = (...calls: readonly string[]) =>
  expect.arrayContaining(calls.flatMap((call) => [`forge.${call} before`, `forge.${call} after`]));
const kinds = (deaths: readonly string[]) => deaths.map((point) => kindOf(point.replace(/#\d+$/u, "")));

// At every single point: `npm run test:crash -- --scenario published`.
test("a host that is killed around its reviews and replies says nothing twice", {
  tags: ["long"],
  timeout: 900_000,
}, async () => {
  const { deaths, findings } = await killedRun(
    { kind: "named", words: "forge.re" },
    { scenario: "published" },
  );
  expect(findings).toEqual([]);
  expect(kinds(deaths)).toEqual(around("readPullRequest", "reviewsOf", "replyInThread", "resolveThread"));
});

test("a host that is killed around every call to a forge opens nothing twice and loses nothing", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const { deaths, findings } = await killedRun({ kind: "named", words: "forge." }, { scenario: "published" });
  expect(findings).toEqual([]);
  expect(kinds(deaths)).toEqual(around("findPullRequest", "createPullRequest", "updatePullRequest", "stack"));
});
