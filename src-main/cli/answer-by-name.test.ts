/** Cards are answered by their names: a number would be another card's as soon as one is gone. */
import { afterEach, expect, test } from "vitest";
import { quickScript } from "../engine/testing/quick-script.ts";
import { exitCode } from "./command-line.ts";
import { createVerdictWalk, type StepOutput, type VerdictWalk } from "./testing/verdict-walk.ts";

let walk: VerdictWalk;
afterEach(() => walk.remove());

const goal = "Write the store";
const files = {
  ".hox/config.toml":
    '[backpressure]\nfast_checks = ["true"]\nslow_checks = []\npreflight = "off"\n[run]\nquick = true\n',
};
const namesIn = ({ stdout, stderr }: StepOutput) => [
  ...new Set(`${stdout}\n${stderr}`.match(/\bresult-[a-z0-9]{4}\b/gu)),
];

test("a card has the same name everywhere, and is answered by it once", async () => {
  walk = await createVerdictWalk(files, quickScript(goal));
  const { hox } = walk;
  const begun = await hox("run", "--goal", goal);
  expect([begun.code, begun.stderr]).toEqual([exitCode.waits, ""]);
  const [name = "", ...others] = namesIn(begun);
  expect(others).toEqual([]);
  expect(begun.stdout).toContain(`hox answer ${name} y`);
  expect(namesIn(await hox("answer"))).toEqual([name]);
  expect(namesIn(await hox("status"))).toEqual([name]);
  const [json = ""] = (await hox("answer", "--json")).stdout.split("\n");
  expect(JSON.parse(json)).toMatchObject({ kind: "land", name });
  expect((await hox("answer", "2", "y")).code).toBe(exitCode.usage);
  const answered = await hox("answer", name, "n");
  expect([answered.code, answered.stdout]).toEqual([exitCode.done, expect.stringContaining("Answered")]);
  expect((await hox("answer", name, "y")).code).toBe(exitCode.usage);
});
